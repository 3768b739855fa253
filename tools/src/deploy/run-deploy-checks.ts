import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addSummaries, formatOutcome, summarizeCheck, type TestSummary } from '../check/test-summary.js';
import { describeMissing, ensurePrograms } from '../programs/ensure-programs.js';
import type { Program } from '../programs/required-programs.js';
import { RenderedChart } from './chart/rendered-chart.js';
import { CheckFailure } from './check-failure.js';
import type { CheckContext, DeployCheck } from './deploy-check.js';
import { removeOnExit } from './remove-on-exit.js';
import { findCacheFolder, type Tool, ToolCache } from './tools/tool-cache.js';

export interface DeployCheckOptions {
  readonly searchPath: string;
  readonly print: (text: string) => void;
  readonly tools?: ToolCache;
}

const MAX_PARALLEL = 2;
/** Of a run, with every tool in the cache. */
const MAX_MINUTES = 10;

/** Installs programs, builds tools, then runs the checks. A missing program or tool fails the checks that need it. */
export async function runDeployChecks(
  checks: readonly DeployCheck[],
  { searchPath, print, tools = new ToolCache(print) }: DeployCheckOptions,
): Promise<TestSummary> {
  const neededTools = new Set(checks.flatMap((check) => check.tools ?? []));
  const programs = [...checks, ...neededTools].flatMap((each) => each.programs ?? []);
  const missing = ensurePrograms([...new Set(programs)], { searchPath, onProgress: print });
  if (missing.length > 0) print(describeMissing(missing));
  // One after the other: a build by Go uses all cores. A failure is reported by each check that needs the tool.
  for (const tool of neededTools) await tools.provide(tool).catch(() => undefined);
  const folder = mkdtempSync(join(tmpdir(), 'check-deploy-'));
  const remove = removeOnExit(folder);
  const findTool = async (tool: Tool): Promise<string> => tools.provide(tool);
  const context: CheckContext = {
    folder,
    findTool,
    findProgram: (program) => findProgram(program, searchPath),
    chart: new RenderedChart(folder, findTool),
    cacheFolder: findCacheFolder(),
    print,
  };
  let summary: TestSummary = { passed: 0, failed: 0 };
  const waiting = [...checks];
  const runNext = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const ok = await runCheck(check, context, print);
      summary = addSummaries(summary, summarizeCheck(ok));
    }
  };
  try {
    await Promise.all(Array.from({ length: MAX_PARALLEL }, runNext));
  } finally {
    remove();
  }
  return summary;
}

/** Prints the findings and the outcome of a check as one piece. */
async function runCheck(
  { name, run }: DeployCheck,
  context: CheckContext,
  print: (text: string) => void,
): Promise<boolean> {
  const started = Date.now();
  try {
    const checked = await run(context);
    print(`${formatOutcome(name, true, started)} (${checked})`);
    return true;
  } catch (error) {
    print(`${describe(error).trimEnd()}\n${formatOutcome(name, false, started)}`);
    return false;
  }
}

function describe(error: unknown): string {
  if (error instanceof CheckFailure) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function findProgram(program: Program, searchPath: string): string {
  const path = program.find(searchPath);
  if (path === undefined) throw new CheckFailure(describeMissing([program]));
  return path;
}

/** @param toolsBuilt whether a tool was not in the cache */
export function describeDuration(durationMs: number, toolsBuilt: boolean): string {
  const text = `all checks took ${Math.round(durationMs / 1_000)} s${toolsBuilt ? ', with the build of tools' : ''}`;
  if (toolsBuilt || durationMs <= MAX_MINUTES * 60_000) return text;
  return `${text}. More than ${MAX_MINUTES} minutes on a machine that does nothing else are too much; make a check faster.`;
}
