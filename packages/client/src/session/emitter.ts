/** Stops listening. */
export type Unsubscribe = () => void;

/** Typed events; a listener that throws stops neither the others nor the sender. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();
  readonly #onListenerError: (error: unknown) => void;

  /** `onListenerError` hears what listeners throw; by default it surfaces as an unhandled error of the page. */
  constructor(onListenerError: (error: unknown) => void = throwLater) {
    this.#onListenerError = onListenerError;
  }

  /** Listens until the returned function is called. */
  on<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): Unsubscribe {
    let listeners = this.#listeners.get(name);
    if (listeners === undefined) this.#listeners.set(name, (listeners = new Set()));
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  /** Tells all listeners of an event. */
  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      this.tell(listener as (event: Events[Name]) => void, event);
    }
  }

  /** Tells one listener of an event. */
  tell<Event>(listener: (event: Event) => void, event: Event): void {
    try {
      listener(event);
    } catch (error) {
      this.#onListenerError(error);
    }
  }

  /** Nobody listens any more. */
  clear(): void {
    this.#listeners.clear();
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
