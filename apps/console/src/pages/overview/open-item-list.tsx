import { useState } from 'react';
import type { OpenItemRow } from '../../api/operations.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/notes.js';
import { Age, Day } from '../../ui/values.js';
import { RecentTime } from './recent-time.js';
import { describeOpenItem, sortOpenItems } from './open-items.js';

const MAX_SHOWN = 8;

/** What the operator should have published by now, and has not. */
export function OpenItemList({
  items,
  isCut,
}: {
  readonly items: readonly OpenItemRow[];
  readonly isCut: boolean;
}) {
  const [isWhole, setIsWhole] = useState(false);
  if (items.length === 0) return <Empty>Nothing is missing.</Empty>;
  const shown = sortOpenItems(items).slice(0, isWhole ? items.length : MAX_SHOWN);
  return (
    <>
      <ul className="overview-list">
        {shown.map((item) => (
          <li key={keyOf(item)}>
            <p>
              <State item={item} /> {describeOpenItem(item)}{' '}
              <span className="overview-subject">{item.participant}</span>
            </p>
            <p className="overview-facts">
              {item.expectedOn !== undefined && (
                <span>
                  expected <Day value={item.expectedOn} />
                </span>
              )}
              {item.since === undefined ? (
                <span>
                  {item.kind === 'unknown' ? 'no poll has succeeded yet' : 'missing from the beginning'}
                </span>
              ) : (
                <span>
                  {item.kind === 'unknown' ? 'last read' : 'missing since'} <RecentTime at={item.since} />,
                  for <Age since={item.since} />
                </span>
              )}
              {item.detail !== undefined && <span>{item.detail}</span>}
            </p>
          </li>
        ))}
      </ul>
      {items.length > MAX_SHOWN && (
        <Button onClick={() => setIsWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Show fewer' : `Show all ${items.length}`}
        </Button>
      )}
      {isCut && <p className="hint">There are more than {items.length}.</p>}
    </>
  );
}

function State({ item: { kind, overdueSince } }: { readonly item: OpenItemRow }) {
  if (kind === 'unknown') return <Badge tone="critical">unknown</Badge>;
  return overdueSince === undefined ? (
    <Badge tone="info">missing</Badge>
  ) : (
    <Badge tone="warning">overdue</Badge>
  );
}

const keyOf = ({ participant, kind, market, periodFrom, designation, ...rest }: OpenItemRow): string =>
  [participant, kind, market, periodFrom, designation, rest.interface, rest.invoiceNumber].join('/');
