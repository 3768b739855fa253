import { Link } from '@tanstack/react-router';
import type { Filters } from '../../format/search-values.js';
import { Button } from '../../ui/button.js';
import { SelectFilter } from '../../ui/filter-bar.js';
import { earlierRange, laterRange, MARKETS, WEEKS, type CalendarRange } from './calendar-range.js';

/** Links to the same weeks of each market. */
export function MarketTabs({ market, filters }: { readonly market: string; readonly filters: Filters }) {
  return (
    <nav className="calendar-markets" aria-label="Markets">
      {MARKETS.map((each) => (
        <Link
          key={each}
          to="/calendar"
          search={{ ...filters, market: each }}
          activeOptions={{ includeSearch: true }}
          {...(each === market && { 'aria-current': 'page' as const })}
        >
          {each}
        </Link>
      ))}
    </nav>
  );
}

interface RangeFieldsProps {
  readonly range: CalendarRange;
  readonly today: string;
  readonly onChange: (changes: Filters) => void;
}

/** How many weeks are shown, and steps to earlier and later ones. */
export function RangeFields({ range, today, onChange }: RangeFieldsProps) {
  const { weeks, until } = range;
  return (
    <>
      <SelectFilter
        label="Weeks"
        value={String(weeks)}
        onChange={(value) => onChange({ weeks: value })}
        options={WEEKS.map((each) => ({ value: String(each), label: `${each} weeks` }))}
      />
      <div className="buttons">
        <Button onClick={() => onChange({ until: earlierRange(range) })}>
          <span aria-hidden="true">←</span> Earlier
        </Button>
        {until !== undefined && (
          <>
            <Button onClick={() => onChange({ until: laterRange(range, today) })}>
              Later <span aria-hidden="true">→</span>
            </Button>
            <Button onClick={() => onChange({ until: undefined })}>Today</Button>
          </>
        )}
      </div>
    </>
  );
}
