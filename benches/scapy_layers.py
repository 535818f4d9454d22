"""Dissects the frames of standard input, one a line in hex, so many rounds: frames a second. Argument: rounds."""
import sys
import time

from scapy.all import Ether

rounds = int(sys.argv[1])
frames = [bytes.fromhex(line.strip()) for line in sys.stdin]
start = time.perf_counter()
for _ in range(rounds):
    for frame in frames:
        Ether(frame)
print(rounds * len(frames) / (time.perf_counter() - start))
