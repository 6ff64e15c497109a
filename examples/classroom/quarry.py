"""The teacher's script: an evader to catch, from parts."""

from steer_env import Script

quarry = Script(behavior="evade", lookahead="closing", walls=8.0, wander=0.5)
