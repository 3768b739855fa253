import { announcesState, isUrgent, type EventType, type SignedEvent } from '@ssb/events';
import type { Message } from '@ssb/bus';
import { verifyMessage } from '../verify/verify-message.js';
import {
  currentTrust,
  type ConsumerOptions,
  type EventContext,
  type OutdatedEvent,
  type RefusedMessage,
} from './consumer-options.js';
import { isReplay, type KnownEvent } from './event-store.js';
import type { Handler } from './handlers.js';

export interface EventProcessorOptions {
  readonly consumer: Pick<ConsumerOptions, 'trust' | 'store' | 'newestPerSubject' | 'curve'>;
  readonly handlersOf: (type: EventType) => readonly Handler<SignedEvent, EventContext>[];
  readonly onRefused: (refused: RefusedMessage) => Promise<void>;
  readonly onOutdated: (outdated: OutdatedEvent) => Promise<void>;
}

/** Processes one message. Resolves when the message may be acknowledged; after a failure the next call continues. */
export type ProcessMessage = (attempt: number) => Promise<void>;

/**
 * Verifies messages, drops repeats, calls handlers, then saves the event. An event without a handler is not saved: heartbeats would replace
 * other events in the store.
 */
export class EventProcessor {
  constructor(private readonly options: EventProcessorOptions) {}

  prepare(message: Message): ProcessMessage {
    const { consumer, handlersOf, onRefused, onOutdated } = this.options;
    const { trust, store, curve } = consumer;
    // A handler that succeeded is not called again when a later one, or the store, fails.
    let succeeded = 0;
    return async (attempt) => {
      // Each attempt reads the trust anew, so that a corrected trust file admits a message that was kept.
      const verdict = verifyMessage(message, { trust: currentTrust(trust), ...(curve && { curve }) });
      if (!verdict.ok) return onRefused({ message, reason: verdict.reason, detail: verdict.detail });
      const { event, origin } = verdict;
      const handlers = handlersOf(event.type);
      if (handlers.length === 0) return;
      const known = await store.find(event);
      if (known.isHeld) return;
      if (isReplay(event, known)) return onRefused({ message, ...toReplayed(event) });
      if (this.isOutdated(event, known)) {
        await onOutdated({ event, origin, message });
      } else {
        for (const handle of handlers.slice(succeeded)) {
          await handle(event, { origin, message, attempt });
          succeeded += 1;
        }
      }
      await store.save(event);
    };
  }

  private isOutdated({ type, sequence }: SignedEvent, { highestSequence }: KnownEvent): boolean {
    if (this.options.consumer.newestPerSubject !== true || !announcesState(type) || isUrgent(type))
      return false;
    return highestSequence !== undefined && sequence < highestSequence;
  }
}

function toReplayed({ signedat }: SignedEvent): Pick<RefusedMessage, 'reason' | 'detail'> {
  return {
    reason: 'replayed',
    detail: `the event was signed at ${signedat}, ids of that time are not held any more, and its subject has a later event`,
  };
}
