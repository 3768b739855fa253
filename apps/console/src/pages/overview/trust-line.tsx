import { useQuery } from '@tanstack/react-query';
import { get, type ApiError } from '../../api/api-client.js';
import type { Status } from '../../api/operations.js';
import { useRead } from '../../api/queries.js';
import { formatDuration } from '../../format/market-time.js';
import { useCaller } from '../../session/caller.js';
import { Badge } from '../../ui/badge.js';
import { Content, Facts } from '../../ui/page.js';
import { Age, MarketTime, useNow } from '../../ui/values.js';
import {
  describeOperator,
  isOld,
  readPolls,
  trustOfEvents,
  trustOfStatus,
  type Heartbeat,
  type Trust,
} from './trust.js';

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

/** Heartbeats are not read with every event: the page counts their age. */
const HEARTBEAT_REFRESH_MS = 30_000;

function OfEvents() {
  const { participants = [] } = useCaller();
  const problems = useRead('/v1/problems', { query: { kind: ['operator-unreachable'] } });
  const heartbeats = useQuery<readonly Heartbeat[], ApiError>({
    queryKey: ['newest heartbeats', participants],
    queryFn: ({ signal }) => Promise.all(participants.map((each) => readHeartbeat(each, signal))),
    refetchInterval: HEARTBEAT_REFRESH_MS,
  });
  return (
    <Content of={problems} what="the state of the operator">
      {({ items }) => (
        <Content of={heartbeats} what="the last heartbeats">
          {(each) => <Line trust={trustOfEvents(items, each)} />}
        </Content>
      )}
    </Content>
  );
}

async function readHeartbeat(participant: string, signal: AbortSignal): Promise<Heartbeat> {
  const query = { type: ['bridge.heartbeat'], participant: [participant], limit: 1 };
  const [newest] = (await get('/v1/events', { query, signal })).items;
  if (newest === undefined) return { participant, read: [] };
  const { event } = await get('/v1/events/{id}', { parts: { id: newest.id }, signal });
  return { participant, at: newest.time, read: readPolls(event) };
}

function Line({ trust, status }: { readonly trust: Trust; readonly status?: Status }) {
  return (
    <div className="overview-trust">
      <Operator trust={trust} />
      <LastHeartbeat trust={trust} />
      <Quarantine trust={trust} />
      {status && (
        <details>
          <summary>Details</summary>
          <StatusDetails status={status} />
        </details>
      )}
    </div>
  );
}

function Operator({ trust }: { readonly trust: Trust }) {
  const { tone, text } = describeOperator(trust, useNow());
  return <Badge tone={tone}>{text}</Badge>;
}

function LastHeartbeat({ trust: { heartbeatAt, withoutHeartbeat } }: { readonly trust: Trust }) {
  const now = useNow();
  return (
    <>
      {withoutHeartbeat.length > 0 && (
        <Badge tone="warning">no heartbeat of {withoutHeartbeat.join(', ')}</Badge>
      )}
      {heartbeatAt !== undefined && (
        <Badge tone={isOld(heartbeatAt, now) ? 'warning' : 'good'}>
          last heartbeat {formatDuration(now - Date.parse(heartbeatAt))} ago
        </Badge>
      )}
    </>
  );
}

function Quarantine({ trust: { quarantine } }: { readonly trust: Trust }) {
  if (quarantine === 'hidden')
    return <span className="hint">Quarantine: only people who see all participants see it.</span>;
  if (quarantine === 'unknown')
    return <Badge tone="warning">quarantine unknown: the database does not respond</Badge>;
  const { messages, trusted } = quarantine;
  if (messages === 0) return <Badge tone="good">quarantine empty</Badge>;
  return (
    <Badge tone={trusted > 0 ? 'warning' : 'info'}>
      {messages} in quarantine{trusted > 0 && `, ${trusted} of trusted senders`}
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
