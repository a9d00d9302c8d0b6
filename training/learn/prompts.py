"""The language of prompts: words, their numbers, and sentences that describe a condition."""

import json
import pathlib
import re

MAXIMUM_TOKENS = 16

TIME_WORDS = [
    ["day", "daytime", "daylight", "noon", "midday", "morning", "afternoon", "bright"],
    ["sunset", "dusk", "evening", "sundown", "twilight", "dawn", "sunrise", "golden"],
    ["night", "nighttime", "midnight", "dark", "moonlit", "nocturnal", "moonlight", "darkness"],
]
WEATHER_WORDS = [
    ["clear", "cloudless", "dry", "fair", "fine", "sunny", "blue"],
    ["rain", "rainy", "raining", "wet", "drizzle", "shower", "storm", "stormy", "downpour"],
    ["snow", "snowy", "snowing", "winter", "wintry", "snowfall", "icy", "frosty", "blizzard"],
    ["fog", "foggy", "mist", "misty", "haze", "hazy", "murky"],
]
NEUTRAL_WORDS = (
    "a an the road street drive driving ride in on at with of under through and along during while weather scene sky light "
    "country countryside village forest track lane landscape view car cars traffic trees heavy light quiet empty winding "
    "very it is time s"
).split()

TIME_PHRASES = ["at {}", "in the {}", "{}", "during the {}", "a {} scene"]
WEATHER_PHRASES = ["{} weather", "a {} road", "driving in {}", "{}", "a {} landscape", "{} and quiet", "a country road with {}", "heavy {}"]


def vocabulary():
    """All words with their numbers; 0 is left for "nothing"."""
    words = []
    for word in [word for group in TIME_WORDS + WEATHER_WORDS for word in group] + NEUTRAL_WORDS:
        if word not in words:
            words.append(word)
    return {word: number + 1 for number, word in enumerate(words)}


VOCABULARY = vocabulary()


def tokens(text):
    """Numbers of the known words of a text, padded, and the words that are not known."""
    words = re.findall(r"[a-z]+", text.lower())
    numbers = [VOCABULARY[word] for word in words if word in VOCABULARY][:MAXIMUM_TOKENS]
    return numbers + [0] * (MAXIMUM_TOKENS - len(numbers)), [word for word in words if word not in VOCABULARY]


def describe(random, time, weather):
    """A random sentence for a condition. Day and clear weather may go without saying, as long as something is said."""

    def pick(choices):
        return choices[random.integers(len(choices))]

    parts = []
    if not (weather == 0 and time != 0 and random.random() < 0.35):
        parts.append(pick(WEATHER_PHRASES).format(pick(WEATHER_WORDS[weather])))
    if not (time == 0 and (weather != 0 or "sunny" in "".join(parts)) and random.random() < 0.35):
        parts.append(pick(TIME_PHRASES).format(pick(TIME_WORDS[time])))
    if not parts:
        parts.append("day")
    if random.random() < 0.4:
        parts.reverse()
    return pick([" ", ", ", " "]).join(parts)


def write_vocabulary(path):
    """Writes the words and their numbers for the world bundle."""
    pathlib.Path(path).write_text(json.dumps(VOCABULARY, indent=1) + "\n")
