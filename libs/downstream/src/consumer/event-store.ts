/** What a store keeps of an event. */
export interface EventIdentity {
  readonly id: string;
  readonly subject: string;
  /** 20 digits, which sort as text. */
  readonly sequence: string;
  /** RFC 3339. */
  readonly signedat: string;
}

/** What a store knows of an event. */
export interface KnownEvent {
  /** Whether it holds the event's id. */
  readonly isHeld: boolean;
  /**
   * The highest sequence of the event's subject. Undefined: it holds no event of the subject and never did. When the subject may have
   * been removed, the sequence of the event itself.
   */
  readonly highestSequence: string | undefined;
  /** Ids of events that were signed before this time may have been removed. Undefined: none was. */
  readonly heldSince: Date | undefined;
}

/**
 * Keeps which events were handled, so that repeats are recognised. Each consumer has a store of its own. `describeEventStore` in the
 * tests of the kit is the conformance suite.
 */
export interface EventStore {
  /**
   * Called once, before all other methods.
   * @throws Error when the store cannot be used, or another process uses it
   */
  open(): Promise<void>;

  /** What the store knows after the last `save` that resolved. Changes nothing. */
  find(event: EventIdentity): Promise<KnownEvent>;

  /**
   * Keeps an event. The event is durable, as far as the store is, when the promise resolves: then its message is acknowledged, and the bus
   * does not deliver it again. A repeat changes nothing. A rejected call kept nothing, and may be repeated.
   */
  save(event: EventIdentity): Promise<void>;

  /** Called once, after all other methods have resolved. */
  close(): Promise<void>;
}

/**
 * Whether an event may be a repeat whose id was removed from the store. An event that others overtook has a lower sequence too, but its
 * id would still be held.
 */
export function isReplay(event: EventIdentity, { isHeld, highestSequence, heldSince }: KnownEvent): boolean {
  if (isHeld || heldSince === undefined || highestSequence === undefined) return false;
  return Date.parse(event.signedat) < heldSince.getTime() && event.sequence <= highestSequence;
}
