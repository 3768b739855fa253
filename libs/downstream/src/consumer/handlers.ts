import { EVENT_TYPES, matchesPattern, type EventType, type SignedEvent } from '@ssb/events';

/** `margin.breached` for `settlementbus.margin.breached.v1`. */
export type EventName = ShortName<EventType>;
type ShortName<Type extends EventType> = Type extends `settlementbus.${infer Name}.v1` ? Name : never;

/** A name, a full type, or a pattern in which `*` stands for any text. */
export type EventPattern = EventName | EventType | `${string}*${string}`;

/** The types that a pattern selects; of a pattern with text after its `*`, all. */
export type TypesOf<Pattern extends EventPattern> = Pattern extends EventType
  ? Pattern
  : Pattern extends EventName
    ? `settlementbus.${Pattern}.v1`
    : Pattern extends `${infer Prefix}*`
      ? Extract<EventType, `settlementbus.${Prefix}${string}` | `${Prefix}${string}`>
      : EventType;

/** A verified event. `type` tells which `data` it has. */
export type EventOf<Type extends EventType> = Type extends EventType ? SignedEvent<Type> : never;

export type Handler<Event, Context> = (event: Event, context: Context) => void | Promise<void>;

/** No event type has this name, or matches this pattern. */
export class UnknownEventNameError extends Error {
  override readonly name = 'UnknownEventNameError';

  constructor(readonly pattern: string) {
    super(
      `No event type is named ${JSON.stringify(pattern)}. Use a name such as margin.breached, or a pattern such as margin.*; libs/events/schemas lists the types.`,
    );
  }
}

const PREFIX = 'settlementbus.';
const SUFFIX = '.v1';

const shortName = (type: EventType): string => type.slice(PREFIX.length, -SUFFIX.length);

/** @throws UnknownEventNameError */
function typesOf(pattern: string): ReadonlySet<EventType> {
  const found = EVENT_TYPES.filter(
    (type) => matchesPattern(pattern, type) || matchesPattern(pattern, shortName(type)),
  );
  if (found.length === 0) throw new UnknownEventNameError(pattern);
  return new Set(found);
}

interface Registration<Context> {
  readonly types: ReadonlySet<EventType>;
  readonly handle: Handler<SignedEvent, Context>;
}

/** Handlers by the types of events that they get. */
export class Handlers<Context> {
  private readonly registrations: Registration<Context>[] = [];

  get isEmpty(): boolean {
    return this.registrations.length === 0;
  }

  /** @throws UnknownEventNameError */
  add(pattern: string, handle: Handler<SignedEvent, Context>): void {
    this.registrations.push({ types: typesOf(pattern), handle });
  }

  /** In the order in which they were added. */
  of(type: EventType): Handler<SignedEvent, Context>[] {
    return this.registrations.filter(({ types }) => types.has(type)).map(({ handle }) => handle);
  }
}
