"""Builds and sends datagrams on an open socket of the link layer: packets a second. Arguments: interface, MAC, count."""
import sys
import time

from scapy.all import IP, UDP, Ether, Raw, conf

interface, mac, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
socket = conf.L2socket(iface=interface)
start = time.perf_counter()
for n in range(count):
    socket.send(Ether(dst=mac) / IP(src="10.77.0.1", dst="10.77.0.2") / UDP(sport=40001, dport=9) / Raw(n.to_bytes(4, "big") + bytes(18)))
print(count / (time.perf_counter() - start))
