import { useQuery } from '@tanstack/react-query';
import { Link, useCanGoBack, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { EventDetail } from '../../api/operations.js';
import { readOptions } from '../../api/queries.js';
import { describeType, shortType } from '../../format/event-type.js';
import { Severity } from '../../ui/badge.js';
import { Note } from '../../ui/notes.js';
import { Content, Page } from '../../ui/page.js';
import { MarketTime } from '../../ui/values.js';
import { describeSubject } from './describe-subject.js';
import { EventDeliveries, EventProblems } from './detail/consequences.js';
import { describePath } from './detail/event-path.js';
import { FiguresSection, FiguresTable } from './detail/figures-section.js';
import { readFigures } from './detail/figures.js';
import { RawEvent } from './detail/raw-event.js';
import { takeSignedMembers } from './detail/signed-members.js';
import { Signatures } from './detail/signatures.js';
import { PathSection } from './detail/path-section.js';
import { useShortcuts } from './shortcuts.js';
import './detail/event.css';

/** An event never changes; its deliveries and problems do. */
const REFRESH_MS = 30_000;
const PENDING_REFRESH_MS = 3_000;

/** One event: its figures, its path, its signatures, and what followed from it. */
export function EventPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const event = useQuery({
    ...readOptions('/v1/events/{id}', { parts: { id } }),
    select: takeSignedMembers,
    refetchInterval: ({ state: { data } }) =>
      data?.deliveries.some(({ state }) => state === 'pending') ? PENDING_REFRESH_MS : REFRESH_MS,
  });
  const [router, navigate, canGoBack] = [useRouter(), useNavigate(), useCanGoBack()];
  useShortcuts({
    Escape: () => (canGoBack ? router.history.back() : void navigate({ to: '/events' })),
  });
  return (
    <Page
      title={event.data ? describeType(event.data.type) : 'Event'}
      readAt={event.dataUpdatedAt}
      intro={event.data && <Intro detail={event.data} />}
    >
      <Content of={event} what="the event">
        {(detail) => <Detail detail={detail} />}
      </Content>
    </Page>
  );
}

function Intro({ detail }: { readonly detail: EventDetail }) {
  const { participant, subject, severity, time, verdict } = detail;
  const about = describeSubject(subject, participant);
  return (
    <>
      <p className="event-intro">
        <Severity value={severity} />
        <strong>{participant === '*' ? 'All participants' : participant}</strong>
        {about !== '' && <span>{about}</span>}
        <MarketTime at={time} />
      </p>
      {verdict.marks.map(({ mark, meaning }) => (
        <Note key={mark} kind="info">
          {meaning}
        </Note>
      ))}
    </>
  );
}

function Detail({ detail }: { readonly detail: EventDetail }) {
  const { id, type, subject, event, text } = detail;
  const figures = useMemo(() => readFigures(type, event['data']), [type, event]);
  return (
    <>
      <div className="event-columns">
        <div className="event-column">
          <FiguresSection figures={figures} aside={<Related type={type} id={id} />} />
          <Signatures detail={detail} />
        </div>
        <div className="event-column">
          <PathSection steps={describePath(detail)} />
          <EventProblems problems={detail.problems} />
        </div>
      </div>
      <EventDeliveries detail={detail} />
      {figures.tables.map((table) => (
        <FiguresTable key={table.title} table={table} />
      ))}
      <RawEvent text={text} />
      <p className="hint">
        Id <code>{id}</code>, type <code>{shortType(type)}</code>, subject <code>{subject}</code>.
      </p>
    </>
  );
}

/** The page with the present state of what the event is about. */
function Related({ type, id }: { readonly type: string; readonly id: string }) {
  const short = shortType(type);
  if (/^(statement|invoice\.(issued|adjusted|reversed|overdue|discrepancy))\b/.test(short))
    return (
      <Link to="/statements/$id" params={{ id }}>
        Open the settlement run
      </Link>
    );
  if (/^(margin|position|credit-support)\./.test(short)) return <Link to="/">Trading margin now</Link>;
  return null;
}
