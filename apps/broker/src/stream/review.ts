import { MOST_NAMED_CHANNELS, type ErrorDetail, type StreamFrame, type SubscribeRequest } from '@ssb/bus';
import type { Did } from '@ssb/identity';
import { BusError, refusalError } from '../bus-error.js';
import type { Directory } from '../directory.js';
import type { Refusal } from '../domain/refusal.js';
import type { FeedRow } from './feed-row.js';
import type { SessionHold } from './session-hold.js';
import type { Channel } from '../domain/channel.js';

/** What a review found: frames for the client, and whether the subscription ends with them. */
export interface Finding {
  readonly frames: readonly StreamFrame[];
  readonly ends: boolean;
}

const NOTHING: Finding = { frames: [], ends: false };

/** Every channel is found by asking for all of them at once; that weighs as much as looking for so many by name. */
const WEIGHT_OF_ALL = 100;

/** Is this still the newest subscription of its client, and which channels may it read now? */
export class Review {
  private announced = false;

  constructor(
    private readonly did: Did,
    private readonly request: SubscribeRequest,
    private readonly directory: Directory,
    private readonly hold: SessionHold,
    private readonly row: FeedRow,
    /** Whether the subscription goes on. Asked after each wait: a client may leave while Redis is slow. */
    private readonly wanted: () => boolean,
  ) {}

  /** How many channels it looks up, at least 1 and at most MOST_NAMED_CHANNELS. */
  get weight(): number {
    const { fqcn } = this.request;
    return fqcn ? Math.min(MOST_NAMED_CHANNELS, Math.max(1, fqcn.length)) : WEIGHT_OF_ALL;
  }

  /** Looks, and has the row follow what may be read. @throws EngineUnavailableError */
  async look(): Promise<Finding> {
    if (!this.wanted()) return NOTHING;
    const { channels, refused, ends } = await readableChannels(this.directory, this.did, this.request.fqcn);
    if (!this.wanted()) return NOTHING;
    const [refusal] = refused;
    if (!this.hold.taken) {
      if (refusal) return this.end('error', refusalDetail(refusal));
      await this.hold.take();
    } else if (!(await this.hold.confirm())) {
      const reason = 'A newer subscription of the same DID and client id took over.';
      return this.end('closed', new BusError('BUS::SUPERSEDED', reason).body().err);
    }
    if (!this.wanted()) return NOTHING;
    if (refusal && ends) return this.end('closed', refusalDetail(refusal));

    const { added, lost } = await this.row.follow(channels);
    const { subscription } = this.request;
    const frames: StreamFrame[] = refused
      .filter((each) => 'fqcn' in each && lost.includes(each.fqcn))
      .map((each) => ({ type: 'error', subscription, err: refusalDetail(each) }));
    if (!this.announced || added || lost.length > 0) {
      this.announced = true;
      frames.push({ type: 'subscribed', subscription, channels: this.row.names });
    }
    return { frames, ends: false };
  }

  private end(type: 'closed' | 'error', err: ErrorDetail): Finding {
    return { frames: [{ type, subscription: this.request.subscription, err }], ends: true };
  }
}

function refusalDetail(refusal: Refusal): ErrorDetail {
  return refusalError(refusal).body().err;
}

interface ReadableChannels {
  readonly channels: readonly Channel[];
  /** Why channels that were asked for by name (or all of them) may not be read. */
  readonly refused: readonly Refusal[];
  /** Nothing is left to read, nor will a channel made later change that. */
  readonly ends: boolean;
}

/** The channels that a subscription may read at this moment: those named, or every one (then also those made later). */
async function readableChannels(
  directory: Directory,
  did: Did,
  named: readonly string[] | undefined,
): Promise<ReadableChannels> {
  if (named === undefined) {
    const usable = await directory.usable(did, ['subscribe']);
    if (usable.ok) return { channels: usable.channels, refused: [], ends: false };
    return { channels: [], refused: [usable.refusal], ends: true };
  }
  const admissions = await directory.admitEach(did, 'subscribe', [...new Set(named)]);
  const channels = admissions.flatMap((each) => (each.ok ? [each.channel] : []));
  const refused = admissions.flatMap((each) => (each.ok ? [] : [each.refusal]));
  return { channels, refused, ends: channels.length === 0 };
}
