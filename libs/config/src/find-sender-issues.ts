import { isDid, isSameIdentity, lowerCaseAddress, methodOf } from '@ssb/identity';
import { findParticipant, findRoute, listChannels } from './lookup.js';
import { BREACHED, error, warning, type ConfigIssue } from './config-issue.js';
import { isUnknown } from './placeholders.js';
import type { OperatorConfig } from './schema.js';
import { listParticipants } from './trusted-senders.js';

/** Senders that trust what no event can be, or that trust nothing of what the routes carry. */
export function findSenderIssues(config: OperatorConfig): ConfigIssue[] {
  return [
    ...findChannelIssues(config),
    ...findUnknownParticipants(config),
    ...findUncoveredParticipants(config),
    ...findRepeats(config),
    ...findRevokedSenders(config),
  ];
}

function findChannelIssues(config: OperatorConfig): ConfigIssue[] {
  const channels = listChannels(config);
  if (!areChannelsKnown(config)) return [];
  const trusted = new Set(config.senders.map(({ channel }) => channel));
  return [
    ...config.senders.flatMap(({ channel }, index) =>
      channels.includes(channel)
        ? []
        : [
            warning(
              ['senders', index, 'channel'],
              `is ${channel}, which no route uses, so it is read and trusted, but nothing is published on it; the routes use ${channels.join(', ')}`,
            ),
          ],
    ),
    ...channels
      .filter((channel) => !trusted.has(channel))
      .map((channel) =>
        warning(['senders'], `has no entry for ${channel}, so a subscriber quarantines every message on it`),
      ),
  ];
}

function findUnknownParticipants(config: OperatorConfig): ConfigIssue[] {
  const codes = config.participants.map(({ code }) => code);
  if (codes.some(isUnknown)) return [];
  return config.senders.flatMap(({ participants = [] }, index) =>
    participants.flatMap((code, at) =>
      isUnknown(code) || findParticipant(config, code) !== undefined
        ? []
        : [
            error(
              ['senders', index, 'participants', at],
              `is ${code}, which participants does not name; the participants are ${codes.join(', ')}`,
            ),
          ],
    ),
  );
}

/** Configured participants about which no origin of a channel may announce facts. A channel without senders is reported by itself. */
function findUncoveredParticipants(config: OperatorConfig): ConfigIssue[] {
  const { participants, senders } = config;
  const named = senders.flatMap((entry) => entry.participants ?? []);
  if (!areChannelsKnown(config) || [...participants.map(({ code }) => code), ...named].some(isUnknown))
    return [];
  return listChannels(config).flatMap((channel) => {
    const entries = senders.flatMap((entry, index) => (entry.channel === channel ? [{ entry, index }] : []));
    const [first] = entries;
    if (first === undefined) return [];
    const covered = new Set(entries.flatMap(({ entry }) => listParticipants(config, entry)));
    const path = ['senders', first.index, 'participants'];
    const carriesBreaches = findRoute(config, BREACHED)?.channel === channel;
    return participants
      .filter(({ code }) => !covered.has(code))
      .map(({ code }) => {
        const missing = `let no origin announce facts about ${code} on ${channel}`;
        return carriesBreaches
          ? error(path, `${missing}, so its margin breach alerts no person; add ${code} to an entry`)
          : warning(path, `${missing}, so a subscriber quarantines its messages there`);
      });
  });
}

/** A revoked key is trusted on no channel, so the file cannot trust it. */
function findRevokedSenders({ senders, revoked = [] }: OperatorConfig): ConfigIssue[] {
  return senders.flatMap(({ gateways, origins }, index) =>
    Object.entries({ gateways, origins }).flatMap(([list, dids]) =>
      dids.flatMap((did) => {
        const at = revoked.findIndex((each) => isSameIdentity(each.did, did));
        if (at < 0) return [];
        return [
          error(
            ['senders', index, list],
            `name ${did}, which revoked.${at} revokes; remove it here, or remove revoked.${at} if its key is safe`,
          ),
        ];
      }),
    ),
  );
}

/** DIDs and participants that are named twice, and entries that an earlier one makes superfluous. */
function findRepeats(config: OperatorConfig): ConfigIssue[] {
  /** Participants that the entries so far trust, by channel and origin. */
  const granted = new Map<string, Set<string>>();
  return config.senders.flatMap((entry, index) => {
    const path = ['senders', index];
    const { channel, gateways, origins, participants = [] } = entry;
    const codes = listParticipants(config, entry);
    const grants = origins.flatMap((did) => {
      const identity = identityKey(did);
      return identity === undefined ? [] : [{ did, key: `${channel} ${identity}` }];
    });
    const superfluous = grants.filter(({ key }) => {
      const earlier = granted.get(key);
      return earlier !== undefined && codes.every((code) => earlier.has(code));
    });
    for (const { key } of grants) {
      const trusted = granted.get(key) ?? new Set();
      granted.set(key, trusted);
      for (const code of codes) trusted.add(code);
    }
    return [
      ...describeRepeats([...path, 'gateways'], gateways, identityKey),
      ...describeRepeats([...path, 'origins'], origins, identityKey),
      ...describeRepeats([...path, 'participants'], participants, (code) => code),
      ...superfluous.map(({ did }) =>
        warning(
          [...path, 'origins'],
          `name ${did}, which earlier entries of this channel trust for the same participants`,
        ),
      ),
    ];
  });
}

/** The same for two DIDs that `isSameIdentity` compares as equal; undefined for an unknown one. */
function identityKey(did: string): string | undefined {
  return isDid(did) ? `${methodOf(did)}:${lowerCaseAddress(did)}` : undefined;
}

function describeRepeats(
  path: readonly PropertyKey[],
  values: readonly string[],
  toKey: (value: string) => string | undefined,
): ConfigIssue[] {
  const seen = new Set<string>();
  const repeats = values.filter((value) => {
    const key = toKey(value);
    if (key === undefined) return false;
    const isRepeat = seen.has(key);
    seen.add(key);
    return isRepeat;
  });
  return [...new Set(repeats)].map((value) => warning(path, `name ${value} more than once`));
}

function areChannelsKnown(config: OperatorConfig): boolean {
  return ![...listChannels(config), ...config.senders.map(({ channel }) => channel)].some(isUnknown);
}
