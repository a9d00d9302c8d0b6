import { useEffect, useRef, useState, type ReactNode } from "react";
import { useText } from "../text/text-provider.tsx";

/** The shortest and the longest wait between two tries, in seconds. */
const SHORTEST_SECONDS = 3;
const LONGEST_SECONDS = 30;
/** The longest wait that a server may ask for, in seconds. */
const LONGEST_ASKED_SECONDS = 300;
const TICK_MILLISECONDS = 250;

/** Seconds until the next try: as long as the server asks for, or longer with every try in a row. Pure. */
export function retrySeconds(tries: number, askedSeconds = 0): number {
  const grown = Math.min(LONGEST_SECONDS, SHORTEST_SECONDS * 2 ** Math.min(tries, 8));
  return Math.max(grown, Math.min(LONGEST_ASKED_SECONDS, Math.ceil(askedSeconds)));
}

/** Counts down and then tries again. It counts for the eye only; a screen reader hears the sentence before it. */
export function RetryCountdown(props: {
  /** Tries in a row so far. */
  readonly tries: number;
  /** Seconds that the server asks to wait, where it does. */
  readonly askedSeconds?: number;
  /** Called once at the end. */
  readonly onRetry: () => void;
}): ReactNode {
  const { tries, askedSeconds, onRetry } = props;
  const text = useText();
  const seconds = retrySeconds(tries, askedSeconds);
  const [left, setLeft] = useState(seconds);
  const newest = useRef(onRetry);
  useEffect(() => {
    newest.current = onRetry;
  });
  useEffect(() => {
    const endsAt = performance.now() + seconds * 1000;
    const timer = setInterval(() => {
      const rest = Math.ceil((endsAt - performance.now()) / 1000);
      setLeft(Math.max(0, rest));
      if (rest > 0) return;
      clearInterval(timer);
      newest.current();
    }, TICK_MILLISECONDS);
    return () => clearInterval(timer);
  }, [seconds]);
  return (
    <p className="retry-countdown" aria-hidden="true">
      {left === 0 ? text.faults.retrying : text.faults.retryIn(left)}
    </p>
  );
}
