/** Device states that travel over the lossy channel: every one is whole, so that the newest makes all older ones superfluous. */
export const STATE_EVENTS = {
  /** Held keys and cumulative press counts. */
  keys: "keys_state",
  /** Held buttons and cumulative movement of the mouse. */
  mouse: "mouse_state",
  /** A gamepad with cumulative press counts. */
  gamepad: "gamepad_state",
  /** A steering wheel. */
  wheel: "wheel_state",
  /** Named axes: on-screen sticks. */
  axis: "axis_set",
  /** Named held actions: on-screen buttons. */
  actions: "action_set",
  /** Whether input reaches the world; losing it releases everything. */
  focus: "focus",
} as const;

/** One of `STATE_EVENTS`. */
export type StateEventType = (typeof STATE_EVENTS)[keyof typeof STATE_EVENTS];
