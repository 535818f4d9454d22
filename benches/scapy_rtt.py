"""Round-trip times as `sr1` gives them: a line with sequence number and nanoseconds for each answer. Argument: count."""
import sys

from scapy.all import ICMP, IP, conf, sr1

conf.verb = 0
for n in range(1, int(sys.argv[1]) + 1):
    probe = IP(dst="10.77.0.2") / ICMP(id=78, seq=n) / b"crafty"
    answer = sr1(probe, timeout=0.2)
    if answer is not None:
        print(n, round((float(answer.time) - float(probe.sent_time)) * 1e9))
