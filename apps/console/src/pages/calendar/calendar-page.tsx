import { useWholeListing } from '../../api/whole-listing.js';
import { oldestOf } from '../../api/oldest-of.js';
import { useParticipants } from '../../api/participants.js';
import { formatDay } from '../../format/market-time.js';
import { SelectFilter } from '../../ui/filter-bar.js';
import { Note } from '../../ui/notes.js';
import { useFilters } from '../../ui/use-filters.js';
import { Content, Page, Section } from '../../ui/page.js';
import { useToday } from '../../ui/values.js';
import { CalendarAttention, useAttention } from './calendar-attention.js';
import { CalendarTable } from './calendar-table.js';
import { foldCalendar } from './calendar-grid.js';
import { readRange, type CalendarRange } from './calendar-range.js';
import { MarketTabs, RangeFields } from './calendar-filters.js';
import './calendar.css';

/** Every settlement run of a market: what is due, published, revised, overdue and invoiced. */
export function CalendarPage() {
  const today = useToday();
  const [filters, change] = useFilters();
  const participants = useParticipants();
  const range = readRange(filters, today);
  const participant = filters['participant'] || undefined;
  const ofParticipant = participant === undefined ? {} : { participant: [participant] };
  const attention = useAttention(ofParticipant, today);
  const { market, since, until } = range;
  const runs = useWholeListing('/v1/settlement-calendar', {
    query: { ...ofParticipant, market: [market], since, ...(until !== undefined && { until }) },
  });
  return (
    <Page title="Settlement calendar" readAt={oldestOf(runs, attention.overdue, attention.published)}>
      <CalendarAttention of={attention} today={today} />
      <MarketTabs market={market} filters={filters} />
      <div className="filters">
        {(participants.length > 1 || participant !== undefined) && (
          <SelectFilter
            label="Participant"
            value={participant ?? ''}
            onChange={(value) => change({ participant: value })}
            options={[
              { value: '', label: 'All participants' },
              ...participants.map((value) => ({ value, label: value })),
            ]}
          />
        )}
        <RangeFields range={range} today={today} onChange={change} />
      </div>
      {range.faults.map((fault) => (
        <Note key={fault} kind="warning">
          {fault}
        </Note>
      ))}
      <Section title={`${market} runs ${describeRange(range)}`} className="calendar">
        <Content of={runs} what="the settlement calendar">
          {({ rows, isCut }) => (
            <CalendarTable
              grid={foldCalendar(rows)}
              range={range}
              today={today}
              cutAfter={isCut ? rows.length : undefined}
              showsParticipant={participants.length > 1 && participant === undefined}
            />
          )}
        </Content>
      </Section>
    </Page>
  );
}

function describeRange({ since, until }: CalendarRange): string {
  return until === undefined
    ? `since ${formatDay(since)}`
    : `from ${formatDay(since)} until before ${formatDay(until)}`;
}
