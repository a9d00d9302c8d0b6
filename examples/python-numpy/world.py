"""A ball that rolls over a lit floor: a whole world in NumPy. Drive it with W, A, S and D."""

import numpy as np

from dreamloop import Video, World, text

HEIGHT, WIDTH = 180, 320
ROWS, COLUMNS = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
LIGHTS = {"day": (1.0, 0.95, 0.85), "night": (0.25, 0.3, 0.55), "sunset": (1.0, 0.55, 0.3)}


class Ball(World):
    """A ball on a chequered floor. The prompt sets the light: day, night or sunset."""

    video = Video(WIDTH, HEIGHT, fps=30)
    controls = {"drive": "driver_command"}
    prompt = text(default="day", live=True)
    prompt_vocabulary = list(LIGHTS)

    def start(self, ctx):
        return {"place": np.zeros(2, np.float32), "heading": 0.0, "speed": 0.0}

    def step(self, ctx):
        drive, state = ctx.controls.drive, ctx.state
        speed = 0 if drive.stop else 0.97 * state["speed"] + (6 * drive.throttle - 9 * drive.brake) * (-1 if drive.reverse else 1)
        heading = state["heading"] - 2.5 * drive.steer * ctx.seconds
        ahead = np.array([np.sin(heading), np.cos(heading)], np.float32)
        place = state["place"] + ahead * np.float32(speed * ctx.seconds)

        depth = 90 / np.maximum(ROWS - 50, 4)
        across = (COLUMNS - WIDTH / 2) * depth / 90
        x = place[0] + across * ahead[1] + depth * 40 * ahead[0] / 40
        y = place[1] / 20 - across * ahead[0] + depth * ahead[1]
        floor = 70 + 110 * ((np.floor(2 * x) + np.floor(2 * y)) % 2)
        scene = np.where(ROWS > 54, floor * np.minimum(1, 4 / depth), 150 - ROWS)
        noise = ctx.random("grain").uniform((HEIGHT, 1)) * 6
        ball = np.hypot(COLUMNS - WIDTH / 2, (ROWS - 135)) < 18
        scene = np.where(ball, 230 - np.abs(ROWS - 125) * 4, scene) + noise
        light = next((light for word, light in LIGHTS.items() if word in ctx.initial.prompt), LIGHTS["day"])
        ctx.frames[...] = np.clip(scene[..., None] * light, 0, 255)
        return ctx.frames, {"place": place, "heading": heading, "speed": speed}
