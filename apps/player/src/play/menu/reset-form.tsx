import type { PlaySession } from "@dreamloop/client";
import { useState, type ReactNode } from "react";
import { Icon } from "../../parts/icons.tsx";

/** What the form takes. */
export interface ResetFormProps {
  /** The session. */
  readonly session: PlaySession;
  /** Hears of refusals. */
  readonly onError: (error: unknown) => void;
  /** Called when the world has started again. */
  readonly onDone: () => void;
}

/** Starts the world again: with the same seed, another one, or one that is typed. */
export function ResetForm({ session, onError, onDone }: ResetFormProps): ReactNode {
  const [seed, setSeed] = useState(String(session.seed ?? 0));
  const value = /^\d{1,15}$/.test(seed.trim()) ? Number(seed) : undefined;
  const reset = (chosen: number): void => void session.reset({ seed: chosen }).then(onDone, onError);
  return (
    <section className="menu-part">
      <h3>Start again</h3>
      <form
        className="reset-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (value !== undefined) reset(value);
        }}
      >
        <label className="field">
          <span>Seed</span>
          <input
            inputMode="numeric"
            value={seed}
            aria-invalid={value === undefined}
            aria-describedby={value === undefined ? "seed-fault" : undefined}
            onChange={(event) => setSeed(event.target.value)}
          />
        </label>
        <button type="submit" className="button" disabled={value === undefined}>
          <Icon name="reset" /> Reset
        </button>
        <button type="button" className="button" onClick={() => reset(Math.floor(Math.random() * 1e9))}>
          New seed
        </button>
      </form>
      {value === undefined ? (
        <p id="seed-fault" className="field-fault">
          A seed is a whole number of up to 15 digits.
        </p>
      ) : (
        <p className="hint">The same seed and the same inputs give the same pictures.</p>
      )}
    </section>
  );
}
