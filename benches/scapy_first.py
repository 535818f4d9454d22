"""One echo request, as soon as may be."""
from scapy.all import ICMP, IP, conf, sr1

conf.verb = 0
sr1(IP(dst="10.77.0.2") / ICMP(id=78, seq=1) / b"crafty", timeout=1)
