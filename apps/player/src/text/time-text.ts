/** What the page says of time: timeline, branches, moments, photographs. */
export interface TimeText {
  /** Names the whole bar. */
  readonly timeline: string;
  /** Names its slider. */
  readonly position: string;
  /** Where the slider is: so much before now. */
  readonly ago: (seconds: string) => string;
  /** Where the slider is: at now. */
  readonly now: string;
  /** The button that goes ten seconds back. */
  readonly back: string;
  /** Said after going back. */
  readonly wentBack: (seconds: string) => string;
  /** Said when a scrub is given up. */
  readonly stayed: string;
  /** The button that shows the branches. */
  readonly branches: string;
  /** A branch without a name of its own. */
  readonly branch: (number: number) => string;
  /** Marks the branch that is played. */
  readonly playing: string;
  /** Goes to the end of a branch. */
  readonly goTo: (name: string) => string;
  /** Labels the field for a branch's name. */
  readonly nameOf: (name: string) => string;
  /** Said after another branch was taken up. */
  readonly tookUp: (name: string) => string;
  /** The button that compares. */
  readonly compare: string;
  /** Ends the comparison. */
  readonly endCompare: string;
  /** Heads the form of a comparison. */
  readonly compareTitle: string;
  /** Explains it. */
  readonly compareLead: string;
  /** Labels the prompt of the other future. */
  readonly otherPrompt: string;
  /** Starts it. */
  readonly startCompare: string;
  /** Labels the pictures of a comparison. */
  readonly sides: readonly [here: string, other: string];
  /** The button that saves a moment. */
  readonly save: string;
  /** Said when it was saved. */
  readonly saved: string;
  /** The button of the photo mode. */
  readonly photo: string;
  /** Says what the keys of the photo mode do. */
  readonly photoHint: string;
  /** Takes the picture. */
  readonly takePhoto: string;
  /** Said when it was taken. */
  readonly tookPhoto: string;
  /** Ends the photo mode. */
  readonly endPhoto: string;
  /** Shown while a moment lies over the page. */
  readonly dropMoment: string;
}

const english: TimeText = {
  timeline: "Timeline",
  position: "Position on the timeline",
  ago: (seconds) => `${seconds} ago`,
  now: "Now",
  back: "Ten seconds back",
  wentBack: (seconds) => `Back by ${seconds}. Continue from here.`,
  stayed: "Stayed where you were.",
  branches: "Branches",
  branch: (number) => (number === 0 ? "First take" : `Take ${number + 1}`),
  playing: "playing",
  goTo: (name) => `Go to the end of ${name}`,
  nameOf: (name) => `Name of ${name}`,
  tookUp: (name) => `Continuing ${name}.`,
  compare: "Compare",
  endCompare: "End the comparison",
  compareTitle: "Two futures, side by side",
  compareLead: "Both start at this moment and follow the same keys.",
  otherPrompt: "Prompt of the other future",
  startCompare: "Start",
  sides: ["This future", "The other future"],
  save: "Save this moment",
  saved: "Saved. The file opens at exactly this moment.",
  photo: "Photo mode",
  photoHint: "S saves a picture, Escape ends photo mode",
  takePhoto: "Save picture",
  tookPhoto: "Picture saved.",
  endPhoto: "End photo mode",
  dropMoment: "Drop to open this moment",
};

const german: TimeText = {
  timeline: "Zeitleiste",
  position: "Stelle auf der Zeitleiste",
  ago: (seconds) => `vor ${seconds}`,
  now: "Jetzt",
  back: "Zehn Sekunden zurück",
  wentBack: (seconds) => `${seconds} zurück. Von hier geht es weiter.`,
  stayed: "Es bleibt, wie es war.",
  branches: "Zweige",
  branch: (number) => (number === 0 ? "Erster Anlauf" : `Anlauf ${number + 1}`),
  playing: "läuft",
  goTo: (name) => `Zum Ende von ${name}`,
  nameOf: (name) => `Name von ${name}`,
  tookUp: (name) => `${name} geht weiter.`,
  compare: "Vergleichen",
  endCompare: "Vergleich beenden",
  compareTitle: "Zwei Zukünfte nebeneinander",
  compareLead: "Beide beginnen in diesem Moment und folgen denselben Tasten.",
  otherPrompt: "Prompt der anderen Zukunft",
  startCompare: "Beginnen",
  sides: ["Diese Zukunft", "Die andere Zukunft"],
  save: "Moment speichern",
  saved: "Gespeichert. Die Datei öffnet genau diesen Moment.",
  photo: "Fotomodus",
  photoHint: "S speichert ein Bild, Escape beendet den Fotomodus",
  takePhoto: "Bild speichern",
  tookPhoto: "Bild gespeichert.",
  endPhoto: "Fotomodus beenden",
  dropMoment: "Loslassen, um diesen Moment zu öffnen",
};

/** The text in the language of the page. */
export function timeText(language: string): TimeText {
  return language.toLowerCase().startsWith("de") ? german : english;
}

/** A length of time as a clock shows it: `0:07`, `12:30`. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A short length of time: `2.5 s`. */
export function shortTime(seconds: number, language: string): string {
  const digits = seconds < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(seconds)} s`;
}
