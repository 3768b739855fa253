import { Inject, Injectable } from '@nestjs/common';
import { ALL_PARTICIPANTS } from '@ssb/events';
import { findTrustedSenders, listTrustedSenders, type OperatorConfig } from '@ssb/config';
import { FaultReporter } from '@ssb/faults';
import { SETTINGS } from '@ssb/platform';
import { LRUCache } from 'lru-cache';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { MAX_CHANNEL_LENGTH } from '../quarantine/domain/quarantine-faults.js';
import { verifyStoredEvent, type StoredEvent, type StoredVerdict } from './domain/verify-stored-event.js';
import type { Settings } from '../settings.js';

/** Size of the cache of verified events. It stays valid for one configuration, because the run role cannot change a row. */
const MAX_VERIFIED = 10_000;

/** Verifies archived events with the configuration in use, before they are delivered or count as a repeat. */
@Injectable()
export class StoredEventVerifier {
  private readonly verified = new LRUCache<string, true>({ max: MAX_VERIFIED });
  private verifiedWith: OperatorConfig | undefined;

  constructor(
    private readonly config: ConfigInUse,
    @Inject(SETTINGS)
    private readonly settings: Pick<Settings, 'SIGNATURE_SCHEME' | 'MESSAGE_SKEW_MS' | 'MESSAGE_MAX_AGE_MS'>,
    private readonly faults: FaultReporter,
  ) {}

  verify(stored: StoredEvent): StoredVerdict {
    const config = this.config.current();
    if (config !== this.verifiedWith) this.verified.clear();
    this.verifiedWith = config;
    if (this.verified.has(stored.eventId)) return { ok: true };
    const { SIGNATURE_SCHEME: scheme, MESSAGE_SKEW_MS: skewMs, MESSAGE_MAX_AGE_MS: maxAgeMs } = this.settings;
    const verdict = verifyStoredEvent(stored, {
      scheme,
      trusted: findTrustedSenders(config, stored.channel),
      trustedAnywhere: listTrustedSenders(config),
      participants: config.participants,
      clocks: { skewMs, maxAgeMs },
    });
    if (verdict.ok) this.verified.set(stored.eventId, true);
    return verdict;
  }

  /**
   * Reports an event that is not delivered, because it failed verification. Its row may hold values that the schema of an operational alert
   * refuses.
   * @param digestId the digest that has the event, and is parked with it
   */
  onUnverified(
    { eventId, type, participant, channel }: StoredEvent,
    detail: string,
    digestId?: string,
  ): void {
    const what = `${type} ${eventId}${digestId === undefined ? '' : ` in the digest ${digestId}`}`;
    const isKnown = this.config.current().participants.some(({ code }) => code === participant);
    this.faults.raise({
      reason: 'archive-authentication-failed',
      participant: isKnown ? participant : ALL_PARTICIPANTS,
      ...(channel !== '' && { channel: channel.slice(0, MAX_CHANNEL_LENGTH) }),
      detail: `The archived ${what} was not delivered: ${detail}`,
    });
  }
}
