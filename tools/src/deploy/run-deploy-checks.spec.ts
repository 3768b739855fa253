import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from '../programs/required-programs.js';
import { CheckFailure } from './check-failure.js';
import type { DeployCheck } from './deploy-check.js';
import { describeDuration, runDeployChecks } from './run-deploy-checks.js';
import { type Tool, ToolCache } from './tools/tool-cache.js';

const folder = mkdtempSync(join(tmpdir(), 'deploy-checks-'));

afterAll(() => rmSync(folder, { recursive: true }));

const unavailable: Tool = {
  name: 'unavailable',
  version: '1',
  path: '.',
  build: async () => {
    throw new Error('Go 1.26 or later is required.');
  },
};

const required: string[] = [];

/** A program that is installed. */
const installed: Program = {
  name: 'pip',
  aptPackage: 'python3-pip',
  find: (searchPath) => {
    required.push(searchPath);
    return '/bin/pip';
  },
};

function check(name: string, run: DeployCheck['run'], tools: readonly Tool[] = []): DeployCheck {
  return { name, description: name, tools, run };
}

it('runs every check, prints findings, and counts a check without its tool as failed', async () => {
  const printed: string[] = [];
  const summary = await runDeployChecks(
    [
      check('good', async () => '3 files'),
      check('with findings', async () => {
        throw new CheckFailure('Deployment/x: runAsNonRoot is missing\n');
      }),
      check('without its tool', async ({ findTool }) => findTool(unavailable), [unavailable]),
    ],
    {
      searchPath: '',
      print: (text) => printed.push(text),
      tools: new ToolCache(() => {}, join(folder, 'tools')),
    },
  );
  expect(summary).toEqual({ passed: 1, failed: 2 });
  expect(printed).toContain('── good: ok after 0 s (3 files)');
  expect(printed).toContain('Deployment/x: runAsNonRoot is missing\n── with findings: FAILED after 0 s');
  expect(printed.join('\n')).toContain('unavailable could not be built. Go 1.26 or later is required.');
});

it('requires the programs with which tools are built', async () => {
  const tool: Tool = { ...unavailable, name: 'wheel', programs: [installed], build: async () => {} };
  const tools = new ToolCache(() => {}, join(folder, 'tools'));
  await runDeployChecks([check('with a wheel', async () => 'passed', [tool])], {
    searchPath: '/programs',
    print: () => {},
    tools,
  });
  expect(required).toContain('/programs');
  expect(tools.hasBuilt).toBe(true);
});

it.each([
  ['is within its limit', 9, false, 'all checks took 540 s'],
  ['includes the build of a tool', 11, true, 'all checks took 660 s, with the build of tools'],
  ['exceeds its limit', 11, false, 'all checks took 660 s. More than 10 minutes'],
])('the printed duration of a run that %s', (_, minutes, toolsBuilt, expected) => {
  const printed = describeDuration(minutes * 60_000, toolsBuilt);
  expect(printed.slice(0, expected.length)).toBe(expected);
});
