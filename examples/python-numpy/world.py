import numpy as np
from dreamloop import Video, World, text

HEIGHT, WIDTH, HORIZON = 144, 256, 44
ROWS, COLUMNS = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
DEPTH = 70 / np.maximum(ROWS - HORIZON + 4, 4)
ACROSS = (COLUMNS - WIDTH / 2) * DEPTH / 70
BALL = np.hypot(COLUMNS - WIDTH / 2, ROWS - 108) < 15
LIGHTS = {"day": (1.0, 0.95, 0.85), "night": (0.25, 0.3, 0.55), "sunset": (1.0, 0.55, 0.3)}


class Ball(World):
    """A ball on a chequered floor: drive it with W, A, S and D. The prompt sets the light: day, night or sunset."""

    id, title = "ball", "Rolling ball"
    video = Video(WIDTH, HEIGHT, fps=30)
    controls = {"drive": "driver_command"}
    prompt = text(default="day", live=True)
    prompt_suggestions = list(LIGHTS)

    def start(self, ctx):
        return {"place": np.zeros(2, np.float32), "heading": 0.0, "speed": 0.0}

    def step(self, ctx):
        drive, state = ctx.controls.drive, ctx.state
        push = (0.3 * drive.throttle - 0.4 * drive.brake) * (-1 if drive.reverse else 1)
        speed = 0.0 if drive.stop else 0.97 * state["speed"] + push
        heading = state["heading"] - 2.5 * drive.steer * ctx.seconds
        ahead = np.array([np.sin(heading), np.cos(heading)], np.float32)
        place = state["place"] + ahead * np.float32(speed * ctx.seconds)
        x = place[0] + ACROSS * ahead[1] + DEPTH * ahead[0]
        y = place[1] - ACROSS * ahead[0] + DEPTH * ahead[1]
        floor = (70 + 110 * ((np.floor(2 * x) + np.floor(2 * y)) % 2)) * np.minimum(1, 3 / DEPTH)
        scene = np.where(BALL, 220 - np.abs(ROWS - 100) * 4, np.where(ROWS > HORIZON, floor, 150 - ROWS))
        scene += ctx.random("grain").uniform((HEIGHT, 1)) * 6
        light = next((light for word, light in LIGHTS.items() if word in ctx.initial.prompt), LIGHTS["day"])
        ctx.frames[...] = np.clip(scene[..., None] * light, 0, 255)
        return ctx.frames, {"place": place, "heading": heading, "speed": speed}
