"""Writes the golden numbers of the samplers: python3 packages/onnx/testing/sampler_goldens.py (NumPy; no GPU).

Each sampler is written here a second time, from its paper and in the form that its authors' code has, in float64. The tests compare
the samplers of Dreamloop with these numbers.
"""

import json
from pathlib import Path

import numpy as np

SIZE = 6
START = np.array([0.9, -1.3, 0.2, 1.7, -0.6, 0.05])


def network(x, level):
    """Stands in for a network: smooth, bounded, and different at each level."""
    return x / (1 + x * x) + 0.05 * level


def noise(index):
    return np.array([((element * 7 + index * 3) % 11 - 5) / 5 for element in range(SIZE)])


def alphas_cumprod(kind, start, end, count):
    steps = np.arange(count)
    if kind == "linear":
        betas = np.linspace(start, end, count)
    elif kind == "scaled_linear":
        betas = np.linspace(start**0.5, end**0.5, count) ** 2
    else:
        if kind == "squared_cosine":
            bar = lambda t: np.cos((t + 0.008) / 1.008 * np.pi / 2) ** 2
        else:
            sigmoid = lambda v: 1 / (1 + np.exp(-v))
            bar = lambda t: (sigmoid(3) - sigmoid(t * 6 - 3)) / (sigmoid(3) - sigmoid(-3))
        betas = np.minimum(0.999, 1 - bar((steps + 1) / count) / bar(steps / count))
    return np.cumprod(1 - betas)


def clean_and_noise(x, out, abar, predicts):
    a, s = abar**0.5, (1 - abar) ** 0.5
    if predicts == "eps":
        return (x - s * out) / a, out
    if predicts == "v":
        return a * x - s * out, a * out + s * x
    return out, (x - a * out) / s


def ddim(levels, predicts, eta, bars):
    x = START.copy()
    for index, (t, u) in enumerate(zip(levels, levels[1:])):
        now, after = bars[t], bars[u] if u >= 0 else 1.0
        x0, eps = clean_and_noise(x, network(x, t / 1000), now, predicts)
        sigma = eta * ((1 - after) / (1 - now)) ** 0.5 * (1 - now / after) ** 0.5
        x = after**0.5 * x0 + (1 - after - sigma**2) ** 0.5 * eps + sigma * noise(index)
    return x


def dpm_solver_pp_2m(levels, predicts, bars):
    x = START.copy()
    estimates, lambdas = [], []
    for t, u in zip(levels, levels[1:]):
        alpha, sigma = bars[t] ** 0.5, (1 - bars[t]) ** 0.5
        x0, _ = clean_and_noise(x, network(x, t / 1000), bars[t], predicts)
        estimates.append(x0)
        lambdas.append(np.log(alpha / sigma))
        if u < 0:
            x = x0
            continue
        alpha_u, sigma_u = bars[u] ** 0.5, (1 - bars[u]) ** 0.5
        h = np.log(alpha_u / sigma_u) - lambdas[-1]
        x_next = sigma_u / sigma * x - alpha_u * np.expm1(-h) * x0
        if len(estimates) > 1:
            r0 = (lambdas[-1] - lambdas[-2]) / h
            x_next -= 0.5 * alpha_u * np.expm1(-h) * (x0 - estimates[-2]) / r0
        x = x_next
    return x


def lcm(levels, predicts, bars, sigma_data=0.5, scale=10.0):
    x = START.copy()
    for index, (t, u) in enumerate(zip(levels, levels[1:])):
        x0, _ = clean_and_noise(x, network(x, t / 1000), bars[t], predicts)
        s = t * scale
        c_skip = sigma_data**2 / (s**2 + sigma_data**2)
        c_out = s / (s**2 + sigma_data**2) ** 0.5
        denoised = c_out * x0 + c_skip * x
        x = denoised if u < 0 else bars[u] ** 0.5 * denoised + (1 - bars[u]) ** 0.5 * noise(index)
    return x


def karras(steps, least, greatest, rho):
    ramp = np.arange(steps) / max(1, steps - 1)
    return list((greatest ** (1 / rho) + ramp * (least ** (1 / rho) - greatest ** (1 / rho))) ** rho) + [0.0]


def edm(levels, solver, predicts, churn=0.0, sigma_data=0.5, offset=0.0):
    def denoise(x, sigma):
        if predicts == "clean":
            return network(x, sigma / 1000)
        sigma = (sigma**2 + offset**2) ** 0.5
        c_skip = sigma_data**2 / (sigma**2 + sigma_data**2)
        c_out = sigma * sigma_data / (sigma**2 + sigma_data**2) ** 0.5
        c_in = 1 / (sigma_data**2 + sigma**2) ** 0.5
        return c_skip * x + c_out * network(c_in * x, np.log(sigma) / 4 / 1000)

    x_next = START * levels[0]
    for index, (t_cur, t_next) in enumerate(zip(levels, levels[1:])):
        gamma = min(churn / (len(levels) - 1), 2**0.5 - 1)
        t_hat = t_cur + gamma * t_cur
        x_hat = x_next + (t_hat**2 - t_cur**2) ** 0.5 * noise(index)
        d_cur = (x_hat - denoise(x_hat, t_hat)) / t_hat
        x_next = x_hat + (t_next - t_hat) * d_cur
        if solver == "heun" and t_next > 0:
            d_prime = (x_next - denoise(x_next, t_next)) / t_next
            x_next = x_hat + (t_next - t_hat) * (0.5 * d_cur + 0.5 * d_prime)
    return x_next


def main():
    cases = []

    def add(sampler, levels, settings, result):
        cases.append({"sampler": sampler, "levels": levels, "settings": settings, "result": list(map(float, result))})

    levels = [999, 749, 500, 250, 20, -1]
    betas = {"linear": (0.0001, 0.02), "scaled_linear": (0.00085, 0.012), "squared_cosine": (0, 0), "sigmoid": (0, 0)}
    for kind, (start, end) in betas.items():
        bars = alphas_cumprod(kind, start, end, 1000)
        first = levels if kind in ("linear", "scaled_linear") else [960, *levels[1:]]
        for predicts in ("eps", "v", "x0"):
            shared = {"betas": kind, "betaStart": start, "betaEnd": end, "predicts": predicts}
            for eta in (0, 0.7):
                add("ddim", first, {**shared, "eta": eta}, ddim(first, predicts, eta, bars))
            add("dpm_solver_pp_2m", first, shared, dpm_solver_pp_2m(first, predicts, bars))
            add("lcm", first, shared, lcm(first, predicts, bars))
    schedule = karras(5, 0.002, 80.0, 7.0)
    for solver in ("euler", "heun"):
        for predicts in ("preconditioned", "clean"):
            for churn in (0, 1.5):
                settings = {"solver": solver, "predicts": predicts, "churn": churn}
                add("edm", schedule, settings, edm(schedule, solver, predicts, churn))
    diamond = karras(3, 0.002, 5.0, 7.0)
    add("edm", diamond, {"sigmaOffset": 0.3}, edm(diamond, "euler", "preconditioned", offset=0.3))
    target = Path(__file__).parent.parent / "src/plan/samplers/sampler-goldens.json"
    document = {"start": list(START), "karras": {"steps": 5, "least": 0.002, "greatest": 80, "rho": 7, "levels": schedule}, "cases": cases}
    target.write_text(json.dumps(document, indent=1) + "\n")


main()
