import type { Did } from '@ssb/identity';
import type { Directory } from '../directory.js';
import type { Channel } from '../domain/channel.js';
import type { Refusal } from '../domain/refusal.js';

export interface ReadableChannels {
  readonly channels: readonly Channel[];
  /** Why channels that were asked for by name (or all of them) may not be read. */
  readonly refused: readonly Refusal[];
  /** Nothing is left to read, nor will a channel made later change that. */
  readonly ends: boolean;
}

/** The channels that a subscription may read at this moment: those named, or every one (then also those made later). */
export async function readableChannels(
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
