import { announcesState, type EventType, type SignedEvent } from '@ssb/events';
import type { Message } from '@ssb/bus';
import { verifyMessage } from '../verify/verify-message.js';
import type { ConsumerOptions, EventContext, RefusedMessage } from './consumer-options.js';
import { isReplay, type KnownEvent } from './event-store.js';
import type { Handler } from './handlers.js';

export interface EventProcessorOptions {
  readonly consumer: Pick<ConsumerOptions, 'trust' | 'store' | 'newestPerSubject' | 'curve'>;
  readonly handlersOf: (type: EventType) => readonly Handler<SignedEvent, EventContext>[];
  readonly onRefused: (refused: RefusedMessage) => Promise<void>;
}

/** Processes one message. Resolves when the message may be acknowledged; after a failure the next call continues. */
export type ProcessMessage = (attempt: number) => Promise<void>;

/** Verifies messages, drops repeats, calls handlers, then saves the event. */
export class EventProcessor {
  constructor(private readonly options: EventProcessorOptions) {}

  prepare(message: Message): ProcessMessage {
    const { consumer, handlersOf, onRefused } = this.options;
    const { trust, store, curve } = consumer;
    const verdict = verifyMessage(message, { trust, ...(curve && { curve }) });
    if (!verdict.ok) {
      const { reason, detail } = verdict;
      return () => onRefused({ message, reason, detail });
    }
    const { event, origin } = verdict;
    // A handler that succeeded is not called again when a later one, or the store, fails.
    const remaining = [...handlersOf(event.type)];
    return async (attempt) => {
      const known = await store.find(event);
      if (known.isHeld) return;
      if (isReplay(event, known)) return onRefused({ message, ...toReplayed(event) });
      if (!this.isOutdated(event, known)) {
        for (let next = remaining[0]; next !== undefined; next = remaining[0]) {
          await next(event, { origin, message, attempt });
          remaining.shift();
        }
      }
      await store.save(event);
    };
  }

  private isOutdated({ type, sequence }: SignedEvent, { highestSequence }: KnownEvent): boolean {
    if (this.options.consumer.newestPerSubject !== true || !announcesState(type)) return false;
    return highestSequence !== undefined && sequence < highestSequence;
  }
}

function toReplayed({ signedat }: SignedEvent): Pick<RefusedMessage, 'reason' | 'detail'> {
  return {
    reason: 'replayed',
    detail: `the event was signed at ${signedat}, ids of that time are not held any more, and its subject has a later event`,
  };
}
