import { Link } from '@tanstack/react-router';
import type { ProblemDetail } from '../../api/operations.js';
import { Section } from '../../ui/page.js';
import { newestEventOf, statementOf } from './related.js';

/** Pages about the same thing. */
export function RelatedPages({ problem }: { readonly problem: ProblemDetail }) {
  const event = newestEventOf(problem);
  const statement = statementOf(problem);
  const { id, kind, key, participant } = problem;
  return (
    <Section title="Related">
      <ul className="related">
        {event !== undefined && (
          <li>
            <Link to="/events/$id" params={{ id: event }}>
              Its newest event, with signatures and full data
            </Link>
          </li>
        )}
        {statement !== undefined && (
          <li>
            <Link to="/statements/$id" params={{ id: statement }}>
              The settlement run with its statements and invoices
            </Link>
          </li>
        )}
        <li>
          <Link to="/deliveries" search={{ problem: id }}>
            Its deliveries
          </Link>
        </li>
        <li>
          <Link to="/problems" search={{ kind, participant, state: 'open,acknowledged,resolved,closed' }}>
            Other problems of this kind and participant
          </Link>
        </li>
      </ul>
      <details>
        <summary>Ids</summary>
        <p className="problem-text">
          Problem <code>{id}</code>, about <code>{key}</code>
        </p>
      </details>
    </Section>
  );
}
