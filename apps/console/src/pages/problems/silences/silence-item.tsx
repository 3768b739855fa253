import { Link } from '@tanstack/react-router';
import type { SilenceRow } from '../../../api/operations.js';
import { capitalize } from '../../../format/names.js';
import { countOf } from '../../../format/count.js';
import { Badge, type Tone } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { MarketTime } from '../../../ui/values.js';
import { describeMatchers } from './silence-matchers.js';

const TONES: Readonly<Record<SilenceRow['state'], Tone>> = {
  active: 'warning',
  scheduled: 'info',
  ended: 'muted',
};

/** Problems that are linked; more are counted. */
const MAX_LINKED = 5;

interface SilenceItemProps {
  readonly silence: SilenceRow;
  /** Absent when the person may not end it. */
  readonly onEnd?: (() => void) | undefined;
}

/** A silence: what it covers, until when, who added it and why, and what it hides. */
export function SilenceItem({ silence, onEnd }: SilenceItemProps) {
  const { state, matchers, startsAt, endsAt, author, comment, endedBy, endComment } = silence;
  return (
    <li className={`silence silence-${state}`}>
      <div className="silence-body">
        <p>
          <Badge tone={TONES[state]}>{state}</Badge>{' '}
          <span className="silence-what">{capitalize(describeMatchers(matchers))}</span>
        </p>
        <p>
          {state === 'scheduled' && (
            <>
              from <MarketTime at={startsAt} />{' '}
            </>
          )}
          {state === 'ended' ? 'ended ' : 'until '}
          <MarketTime at={endsAt} />
          {endedBy !== undefined && ` by ${endedBy}`}
          {endComment !== undefined && `: ${endComment}`}
        </p>
        <p className="silence-comment">
          {author}: {comment}
        </p>
        <Hidden silence={silence} />
      </div>
      {onEnd && state !== 'ended' && (
        <Button onClick={onEnd} aria-label={`End the silence about ${describeMatchers(matchers)}`}>
          End the silence
        </Button>
      )}
    </li>
  );
}

function Hidden({ silence: { state, hides, hidesMore } }: { readonly silence: SilenceRow }) {
  if (hides.length === 0) return null;
  const more = hides.length - MAX_LINKED;
  return (
    <p>
      <strong>
        {state === 'ended' ? 'Hid ' : 'Hides '}
        {hidesMore ? 'more than ' : ''}
        {countOf(hides.length, 'critical problem')}
      </strong>
      :{' '}
      {hides.slice(0, MAX_LINKED).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/problems/$id" params={{ id }}>
            {id.slice(0, 8)}
          </Link>
        </span>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  );
}
