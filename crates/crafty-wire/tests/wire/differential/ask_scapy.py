"""Reads and builds packets with Scapy for the differential tests. One request a line on standard input, one answer a line:
`R HEX` gives the layers with their numbers, `B Class name=value … / Class … / #HEX` gives the bytes in hexadecimal."""
import importlib, ipaddress, sys
import scapy.all as scapy

CLASSES = dict(vars(scapy))
for name in ("contrib.mpls", "contrib.geneve", "contrib.igmp", "contrib.ospf", "contrib.gtp", "layers.vxlan", "layers.ipsec",
             "layers.sctp", "layers.hsrp", "layers.l2tp"):
    CLASSES.update(vars(importlib.import_module("scapy." + name)))
scapy.conf.verb = 0


def number(value):
    if isinstance(value, str):
        try:
            return int(ipaddress.ip_address(value))
        except ValueError:
            pass
        data = value.split(":")
        return int("".join(data), 16) if len(data) == 6 else None
    try:
        return int(value) if not isinstance(value, (bytes, list)) and value is not None else None
    except (TypeError, ValueError):
        return None


def read(data):
    layers, packet = [], CLASSES["Ether"](data)
    while packet and not isinstance(packet, (scapy.NoPayload, scapy.Raw, scapy.Padding)):
        words = [{"Dot3": "Ether"}.get(type(packet).__name__, type(packet).__name__)]
        for field in packet.fields_desc:
            try:
                value = number(packet.getfieldval(field.name))
            except Exception:
                value = None
            if value is not None and value >= 0:
                words.append("%s=%d" % (field.name, value))
        layers.append(" ".join(words))
        packet = packet.payload
    return " / ".join(layers)


def layer(words):
    words = words.split()
    made, bits = CLASSES[words[0]](), {}
    if words[0] == "DNS":
        made.qd = None
    if words[0] == "BOOTP":
        made.options = b"c\x82Sc"
    for word in words[1:]:
        name, value = word.split("=")
        name, _, shift = name.partition(">>")
        if shift:
            bits[name] = bits.get(name, 0) | int(value) << int(shift)
        else:
            setattr(made, name, int(value) if value.isdigit() else value)
    for name, value in bits.items():
        setattr(made, name, value)
    return made


def build(text):
    packet = None
    text = text.replace("Ether ", "Dot3 ", 1) if " / LLC" in text else text
    for words in text.split(" / "):
        part = scapy.Raw(bytes.fromhex(words[1:])) if words.startswith("#") else layer(words)
        packet = part if packet is None else packet / part
    return bytes(packet).hex()


for line in sys.stdin:
    kind, rest = line.rstrip("\n").split(" ", 1)
    try:
        print(read(bytes.fromhex(rest)) if kind == "R" else build(rest))
    except Exception as error:
        print("error: %s %s" % (type(error).__name__, str(error).replace("\n", " ")))
