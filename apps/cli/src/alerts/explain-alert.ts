import { areRulesKnown, explainRecipients, type AlertFacts } from '@ssb/config';
import { ConfigurationError } from '@ssb/platform';
import { standardOutput } from '@ssb/platform/cli';
import type { SilenceRow } from '../api/operations.js';
import { withApi, type ApiOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { readConfig } from '../operator-config.js';
import { printResult, readRows } from '../output/listing.js';
import { findWithheld, type ExplainedKind } from './find-withheld.js';
import { readFacts, resolvableKind, type EventOptions } from './read-facts.js';
import { renderExplanation, type ExplainedEvent } from './render-explanation.js';

export interface ExplainOptions extends EventOptions, ApiOptions {
  readonly at?: string;
  readonly file?: string;
}

/** Silences of one time. At most 100 are open. */
const MAX_SILENCES = 1_000;
/** Rules are explained without a bridge, too. */
const SILENCES_TIMEOUT_MS = 3_000;

export async function explainAlert(type: string, options: ExplainOptions): Promise<void> {
  const { file, at = new Date().toISOString(), output } = options;
  const config = readConfig(file);
  if (!areRulesKnown(config))
    throw new CommandError(
      'The rules use environment variables that are not set. Set those that config check names.',
      EXIT.configuration,
    );
  const facts = readFacts(config, type, options);
  const kind = kindOf(facts, options);
  const { silences, note } = await readSilences(options, at);
  const explanation = explainRecipients(config, facts);
  const context = { kind, at: new Date(at), silences };
  const explained: ExplainedEvent = {
    facts,
    kind,
    ...explanation,
    withheld: findWithheld(config, facts, explanation.sinks, context),
    notes: [...listNotes(facts, kind), ...(note === undefined ? [] : [note])],
  };
  printResult(explained, output, () => renderExplanation(explained, standardOutput.width));
}

interface ReadSilences {
  readonly silences: readonly SilenceRow[];
  /** Why they were not read. */
  readonly note?: string;
}

async function readSilences(options: ApiOptions, at: string): Promise<ReadSilences> {
  try {
    let silences: readonly SilenceRow[] = [];
    await withApi(
      options,
      async (api) => {
        silences = (
          await readRows(api, '/v1/silences', { at, all: true }, { limit: MAX_SILENCES, cursor: undefined })
        ).items;
      },
      SILENCES_TIMEOUT_MS,
    );
    return { silences };
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof ConfigurationError)) throw error;
    return { silences: [], note: `The silences were not read. ${error.message}` };
  }
}

function kindOf({ problem, severity }: AlertFacts, { resolves }: EventOptions): ExplainedKind {
  if (resolves) return 'resolved';
  return problem === undefined || severity === 'info' ? 'notice' : 'alert';
}

function listNotes({ type, problem }: AlertFacts, kind: ExplainedKind): string[] {
  if (kind === 'resolved') return ['Each sink that got an alert of the problem gets its end as well.'];
  const resolvable = problem === undefined ? resolvableKind(type) : undefined;
  return resolvable
    ? [`Events of this type can end a problem of the kind ${resolvable}: add --resolves.`]
    : [];
}
