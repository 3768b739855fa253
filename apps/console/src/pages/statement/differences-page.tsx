import { Link, useParams } from '@tanstack/react-router';
import { useWholeListing } from '../../api/whole-listing.js';
import { useListing, useRead } from '../../api/queries.js';
import type { DifferencesPage as Differences, StatementDetail } from '../../api/operations.js';
import { formatTime } from '../../format/market-time.js';
import { nameRun } from '../../format/run-name.js';
import { SelectFilter } from '../../ui/filter-bar.js';
import { useFilters } from '../../ui/use-filters.js';
import { ErrorNote, Loading, Note } from '../../ui/notes.js';
import { Content, Page } from '../../ui/page.js';
import { MARKETS } from '../calendar/calendar-range.js';
import { listChoices, type ComparisonChoice } from './comparison-choices.js';
import { DifferenceTables } from './difference-tables.js';
import './statement.css';

const PATH = '/v1/statements/{id}/differences';

/** What differs between two versions of a statement, or two runs of a period. */
export function DifferencesPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const [{ against }] = useFilters();
  const parts = { id };
  const query = against === undefined ? {} : { against };
  const statement = useRead('/v1/statements/{id}', { parts });
  const differences = useListing(PATH, { parts, query, refetchInterval: false });
  // The first page has the versions and the sums of all.
  const first = differences.data?.pages[0];
  const name = statement.data && nameRun(statement.data);
  return (
    <Page
      title={name === undefined ? 'Differences' : `Differences of ${name}`}
      readAt={statement.dataUpdatedAt}
      intro={
        <p className="statement-links">
          <Link to="/statements/$id" params={{ id }}>
            The statement
          </Link>
        </p>
      }
    >
      <Content of={statement} what="the statement">
        {(data) => <Choice statement={data} id={id} against={against} first={first} />}
      </Content>
      {differences.error?.status === 409 ? (
        <Note kind="info">{withoutParameter(differences.error.message)}</Note>
      ) : (
        differences.error && (
          <ErrorNote error={differences.error} onRetry={() => void differences.refetch()} />
        )
      )}
      {first === undefined && differences.error === null && <Loading what="the differences" />}
      {first && (
        <DifferenceTables
          page={first}
          rows={differences.rows}
          onMore={differences.hasNextPage ? () => void differences.fetchNextPage() : undefined}
          isReading={differences.isFetchingNextPage}
          isCut={differences.isCut}
          csv={{ parts, query, fileName: `differences-${fileNameOf(name ?? id)}.csv` }}
        />
      )}
    </Page>
  );
}

/** The page has a field in place of the parameter. */
const withoutParameter = (detail: string): string => detail.replace(': name one with against.', '.');

const fileNameOf = (text: string): string => text.replaceAll(/[^\w-]+/g, '-');

interface ChoiceProps {
  readonly statement: StatementDetail;
  /** Of the run, or of the event of a version. */
  readonly id: string;
  readonly against: string | undefined;
  readonly first: Differences | undefined;
}

/** What the statement is compared with. */
function Choice({ statement, id, against, first }: ChoiceProps) {
  const [, change] = useFilters();
  const { participant, market, periodFrom, versions } = statement;
  const runs = useWholeListing('/v1/settlement-calendar', {
    query: {
      participant: [participant],
      market: MARKETS.filter((each) => each === market),
      by: 'published',
      since: periodFrom,
    },
  });
  if (runs.isPending) return <Loading what="what can be compared" lines={1} />;
  const comparedId = versions.find(({ eventId }) => eventId === id)?.eventId ?? versions[0]?.eventId;
  const choices = listChoices(statement, runs.data?.rows ?? [], comparedId);
  // An id can be shortened in the address, so the response says what was compared.
  const isKnown = against === undefined || choices.some((choice) => choice.id === against);
  return (
    <div className="filters statement-compare">
      <SelectFilter
        label="Compare with"
        value={against ?? ''}
        onChange={(value) => change({ against: value })}
        options={[
          { value: '', label: 'The version or run before' },
          ...choices.map((choice) => ({ value: choice.id, label: describeChoice(choice) })),
          ...(isKnown ? [] : [{ value: against, label: first?.before.designation ?? against }]),
        ]}
      />
    </div>
  );
}

function describeChoice({ kind, designation, publishedAt }: ComparisonChoice): string {
  const when = publishedAt === undefined ? '' : `, published ${formatTime(publishedAt)}`;
  return kind === 'version' ? `Version of ${designation}${when}` : `${designation}${when}`;
}
