import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ArchiveStatus, SinkStatus } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { Badge } from '../../ui/badge.js';
import { DataTable, type Column } from '../../ui/data-table.js';
import { Facts, Section } from '../../ui/page.js';
import { Age } from '../../ui/values.js';
import { Heartbeats, Watermarks } from './heartbeat-sections.js';

/** What the database knows: who reads, what arrives, and what waits. */
export function ArchiveSections({
  archive,
  children,
}: {
  readonly archive: ArchiveStatus;
  readonly children: ReactNode;
}) {
  return (
    <div className="grid">
      <Archive archive={archive} />
      <Heartbeats heartbeats={archive.heartbeats} />
      {archive.watermarks.length > 0 && <Watermarks watermarks={archive.watermarks} />}
      <Sinks sinks={archive.sinks} />
      {children}
    </div>
  );
}

function Archive({ archive }: { readonly archive: ArchiveStatus }) {
  const { replicas, quarantine, openProblems, unreadEvents, closedMargins = [] } = archive;
  const reader = replicas.find(({ isReader }) => isReader);
  const others = replicas.filter(({ isReader }) => !isReader);
  const { critical, warning, info, unacknowledgedCritical } = openProblems;
  return (
    <Section title="Archive">
      <Facts
        rows={[
          ['Reads the channels', reader?.name ?? <Badge tone="critical">no subscriber</Badge>],
          ['In reserve', others.length === 0 ? 'none' : others.map(({ name }) => name).join(', ')],
          [
            'Quarantine',
            <>
              <Link to="/operations/quarantine">{countOf(quarantine.messages, 'message')}</Link>{' '}
              {quarantine.trusted > 0 && (
                <Badge tone="warning">{quarantine.trusted} of trusted senders</Badge>
              )}
            </>,
          ],
          [
            'Open problems',
            <>
              <Link to="/problems">
                {critical} critical, {warning} warning, {info} info
              </Link>{' '}
              {unacknowledgedCritical > 0 && (
                <Badge tone="critical">{unacknowledgedCritical} not acknowledged</Badge>
              )}
            </>,
          ],
          unreadEvents > 0 && [
            'Events that could not be read',
            <Badge tone="warning">{unreadEvents.toLocaleString('en-AU')}</Badge>,
          ],
          closedMargins.length > 0 && [
            'Margins whose problem was closed',
            closedMargins
              .map(({ participant, level, closedBy }) => `${participant} ${level}, by ${closedBy}`)
              .join('; '),
          ],
        ]}
      />
    </Section>
  );
}

function Sinks({ sinks }: { readonly sinks: readonly SinkStatus[] }) {
  return (
    <Section title="Sinks" aside={<Link to="/sinks">All sinks</Link>}>
      {sinks.length === 0 ? (
        <p>
          <Badge tone="good">ok</Badge> Every sink accepts its deliveries, and nothing waits.
        </p>
      ) : (
        <DataTable
          caption="Sinks that need attention"
          columns={SINKS}
          rows={sinks}
          rowKey={({ sink }) => sink}
          empty=""
        />
      )}
    </Section>
  );
}

const SINKS: readonly Column<SinkStatus>[] = [
  { id: 'sink', header: 'Sink', cell: ({ sink }) => sink },
  {
    id: 'state',
    header: 'State',
    cell: ({ failingSince, lastOutcome, disabledAt, disabledBy }) => {
      if (disabledAt !== undefined)
        return (
          <span>
            <Badge tone="warning">disabled</Badge> <span className="hint">by {disabledBy ?? 'unknown'}</span>
          </span>
        );
      if (failingSince === undefined) return <Badge tone="info">delivering</Badge>;
      return (
        <span>
          <Badge tone="critical">failing</Badge>{' '}
          <span className="hint">
            for <Age since={failingSince} /> ({lastOutcome ?? 'unknown'})
          </span>
        </span>
      );
    },
  },
  {
    id: 'pending',
    header: 'Pending',
    kind: 'number',
    cell: ({ pending }) => pending.toLocaleString('en-AU'),
  },
  { id: 'parked', header: 'Refused', kind: 'number', cell: ({ parked }) => parked.toLocaleString('en-AU') },
];
