import { checkOperatorConfig, formatProblem, type ConfigReport } from '@ssb/config';
import { standardOutput } from '@ssb/platform/cli';
import { EXIT } from '../exit.js';
import type { OutputOptions } from '../options.js';
import { configPath } from '../operator-config.js';
import { commandEnvironment } from '../settings.js';

export interface CheckOptions extends OutputOptions {
  readonly file?: string;
  readonly allowUnset?: boolean;
}

export function checkConfig({ file = configPath(), allowUnset = false, output }: CheckOptions): void {
  const report = checkOperatorConfig(file, { environment: commandEnvironment(), allowUnset });
  const { errors, warnings } = report;
  if (output === 'json') standardOutput.writeJson({ file, errors, warnings });
  else for (const line of renderLines(file, report)) standardOutput.writeLine(line);
  if (errors.length > 0) process.exitCode = EXIT.configuration;
}

function renderLines(path: string, { errors, warnings }: ConfigReport): string[] {
  const lines = [
    ...errors.map((problem) => `error: ${formatProblem(path, problem)}`),
    ...warnings.map((problem) => `warning: ${formatProblem(path, problem)}`),
    `${path}: ${count(errors.length, 'error')}, ${count(warnings.length, 'warning')}`,
  ];
  if (errors.some(({ unset }) => unset !== undefined))
    lines.push('Without these variables, check the file with --allow-unset.');
  return lines;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
