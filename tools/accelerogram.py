#!/usr/bin/env python3
"""Writes a synthetic accelerogram as a PEER record: white noise through the filter of Kanai and Tajimi.

    tools/accelerogram.py SEED PEAK_IN_G > record.at2

The ground is an oscillator (2.5 Hz, damping 0.6) that white noise shakes; the absolute acceleration of its mass,
times an envelope that rises for 1 s, stays until 5 s and decays, is scaled to the peak.
"""
import math
import random
import sys

seed, peak = int(sys.argv[1]), float(sys.argv[2])
step, points, parts = 0.01, 1000, 10
omega, damping = 2.0 * math.pi * 2.5, 0.6
noise = random.Random(seed)
x = v = 0.0
values = []
for i in range(points):
    t = i * step
    force = noise.gauss(0.0, 1.0)
    for _ in range(parts):
        v += (-force - 2.0 * damping * omega * v - omega * omega * x) * step / parts
        x += v * step / parts
    envelope = (t / 1.0) ** 2 if t < 1.0 else (1.0 if t < 5.0 else math.exp(-0.9 * (t - 5.0)))
    values.append(-(2.0 * damping * omega * v + omega * omega * x) * envelope)
scale = peak / max(abs(a) for a in values)
print("SYNTHETIC RECORD, NO EARTHQUAKE")
print(f"KANAI-TAJIMI FILTER 2.5 HZ, DAMPING 0.6, SEED {seed}, BY tools/accelerogram.py")
print("ACCELERATION TIME SERIES IN UNITS OF G")
print(f"NPTS= {points}, DT= {step:.4f} SEC")
for i in range(0, points, 5):
    print("".join(f"{scale * a:15.7E}" for a in values[i:i + 5]))
