#!/usr/bin/env python3
"""Round trips by packet size from a spoofed source, as `examples/office_rtt.crafty` measures them."""

import statistics
import time

from scapy.all import IP, UDP, AsyncSniffer, Raw, conf, send

GATEWAY, OFFICE, PORT = "10.20.4.1", "10.100.0.50", 40100
SIZES, BURST, GAP = [100, 500, 1000, 1400, 1472], 50, 0.01

sent = {}
round_trips = {size: [] for size in SIZES}


def on_reply(packet):
    """The serial number tells when its packet was given to `send`: not when it was on the wire."""
    data = packet[Raw].load
    serial = int.from_bytes(data[:2], "big")
    if serial in sent:
        round_trips[len(data)].append((float(packet.time) - sent.pop(serial)) * 1000)


sniffer = AsyncSniffer(
    iface=conf.route.route(OFFICE)[0],
    filter=f"udp and src host {OFFICE} and src port {PORT}",
    prn=on_reply,
    store=False,
)
sniffer.start()
time.sleep(0.5)
serial = 0
for size in SIZES:
    for _ in range(BURST):
        serial += 1
        payload = serial.to_bytes(2, "big") + bytes(size - 2)
        sent[serial] = time.time()
        send(IP(src=GATEWAY, dst=OFFICE) / UDP(sport=40000, dport=PORT) / Raw(payload), verbose=False)
        time.sleep(GAP)
time.sleep(2)
sniffer.stop()

print("size\tn\tavg\tmax")
for size in SIZES:
    times = round_trips[size]
    if times:
        print(f"{size}\t{len(times)}\t{statistics.mean(times):.3f}ms\t{max(times):.3f}ms")
    else:
        print(f"{size}\t0\t-\t-")
