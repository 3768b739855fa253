import { useState } from 'react';
import type { HeartbeatStatus, WatermarkStatus } from '../../api/operations.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { Age, MarketTime } from '../../ui/values.js';

const MAX_SHOWN = 10;

export function Heartbeats({ heartbeats }: { readonly heartbeats: readonly HeartbeatStatus[] }) {
  const [shown, setShown] = useState(MAX_SHOWN);
  return (
    <Section title="Heartbeats">
      <DataTable
        caption="Newest heartbeat of each participant and channel, the oldest first"
        columns={HEARTBEATS}
        rows={heartbeats.slice(0, shown)}
        rowKey={({ participant, channel }) => `${participant} ${channel}`}
        empty="No heartbeat has arrived yet."
        onMore={heartbeats.length > shown ? () => setShown(shown * 4) : undefined}
      />
    </Section>
  );
}

const HEARTBEATS: readonly Column<HeartbeatStatus>[] = [
  { id: 'participant', header: 'Participant', cell: ({ participant }) => participant },
  { id: 'channel', header: 'Channel', cell: ({ channel }) => <Channel name={channel} /> },
  {
    id: 'age',
    header: 'Age',
    kind: 'number',
    cell: ({ at }) => <Ago at={at} />,
  },
];

function Ago({ at }: { readonly at: string }) {
  return (
    <span className="operations-age">
      <Age since={at} />
    </span>
  );
}

/** The first label of a channel; the whole name behind a click. */
function Channel({ name }: { readonly name: string }) {
  return (
    <details className="operations-details">
      <summary>{name.split('.')[0]}</summary>
      <code>{name}</code>
    </details>
  );
}

export function Watermarks({ watermarks }: { readonly watermarks: readonly WatermarkStatus[] }) {
  return (
    <Section title="Read until">
      <DataTable
        caption="Until when each channel was read completely"
        columns={WATERMARKS}
        rows={watermarks}
        rowKey={({ channel }) => channel}
        empty=""
      />
    </Section>
  );
}

const WATERMARKS: readonly Column<WatermarkStatus>[] = [
  { id: 'channel', header: 'Channel', cell: ({ channel }) => <Channel name={channel} /> },
  {
    id: 'completeUntil',
    header: 'Complete until',
    cell: ({ completeUntil }) => <MarketTime at={completeUntil} />,
  },
  { id: 'age', header: 'Age', kind: 'number', cell: ({ completeUntil }) => <Ago at={completeUntil} /> },
];
