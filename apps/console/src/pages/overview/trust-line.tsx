import type { Status } from '../../api/operations.js';
import { useRead } from '../../api/queries.js';
import { formatDuration } from '../../format/market-time.js';
import { useCaller } from '../../session/caller.js';
import { Badge } from '../../ui/badge.js';
import { Content, Facts } from '../../ui/page.js';
import { Age, MarketTime, useNow } from '../../ui/values.js';
import { trustOfEvents, trustOfStatus, type Trust } from './trust.js';

/** Whether the figures of the page can be trusted, in one line. */
export function TrustLine() {
  return useCaller().allParticipants ? <OfStatus /> : <OfEvents />;
}

function OfStatus() {
  const status = useRead('/v1/status');
  return (
    <Content of={status} what="the status">
      {(data) => <Line trust={trustOfStatus(data)} status={data} />}
    </Content>
  );
}

function OfEvents() {
  const problems = useRead('/v1/problems', { query: { kind: ['operator-unreachable'] } });
  const heartbeats = useRead('/v1/events', { query: { type: ['bridge.heartbeat'], limit: 1 } });
  return (
    <Content of={problems} what="the state of the operator">
      {({ items }) => (
        <Content of={heartbeats} what="the last heartbeat">
          {({ items: [newest] }) => <Line trust={trustOfEvents(items, newest)} />}
        </Content>
      )}
    </Content>
  );
}

/** Heartbeats are sent each minute by default. */
const OLD_HEARTBEAT_MS = 5 * 60_000;

function Line({ trust, status }: { readonly trust: Trust; readonly status?: Status }) {
  return (
    <div className="overview-trust">
      <Operator unreachable={trust.unreachable} />
      <Heartbeat at={trust.heartbeatAt} />
      <Quarantine {...trust} />
      {status && (
        <details>
          <summary>Details</summary>
          <StatusDetails status={status} />
        </details>
      )}
    </div>
  );
}

function Operator({ unreachable }: Pick<Trust, 'unreachable'>) {
  if (unreachable === undefined) return <Badge tone="warning">operator: nothing known</Badge>;
  if (unreachable.length === 0) return <Badge tone="good">operator reachable</Badge>;
  return <Badge tone="critical">operator unreachable: {unreachable.join(', ')}</Badge>;
}

function Heartbeat({ at }: { readonly at: string | undefined }) {
  const ageMs = useNow() - Date.parse(at ?? '');
  if (at === undefined) return <Badge tone="warning">no heartbeat yet</Badge>;
  return (
    <Badge tone={ageMs > OLD_HEARTBEAT_MS ? 'warning' : 'good'}>
      last heartbeat {formatDuration(ageMs)} ago
    </Badge>
  );
}

function Quarantine({ quarantined, quarantinedTrusted }: Trust) {
  if (quarantined === undefined) return null;
  if (quarantined === 0) return <Badge tone="good">quarantine empty</Badge>;
  return (
    <Badge tone={quarantinedTrusted > 0 ? 'warning' : 'info'}>
      {quarantined} in quarantine{quarantinedTrusted > 0 && `, ${quarantinedTrusted} of trusted senders`}
    </Badge>
  );
}

function StatusDetails({ status: { polling, archive, hops } }: { readonly status: Status }) {
  return (
    <Facts
      rows={[
        ...polling.flatMap(({ participant, interfaces }) =>
          interfaces.map(
            ({ interface: name, lastSuccessAt, failingSince }) =>
              [
                `${participant} ${name}`,
                <>
                  {lastSuccessAt === undefined ? 'not read yet' : <Age since={lastSuccessAt} />}
                  {lastSuccessAt !== undefined && ' ago'}
                  {failingSince !== undefined && (
                    <>
                      , fails since <MarketTime at={failingSince} />
                    </>
                  )}
                </>,
              ] as const,
          ),
        ),
        ...(archive?.heartbeats ?? []).map(
          ({ participant, channel, at }) =>
            [
              `Heartbeat of ${participant}`,
              <>
                <Age since={at} /> ago on <code>{channel}</code>
              </>,
            ] as const,
        ),
        ...hops.map(({ name, state, detail }) => [name, [state, detail].filter(Boolean).join(': ')] as const),
      ]}
    />
  );
}
