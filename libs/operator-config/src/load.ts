import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { operatorConfigSchema, type OperatorConfig } from './schema.js';

/** The operator's file is missing or invalid. Each problem is a sentence that names the place in the file. */
export class OperatorConfigError extends Error {
  override readonly name = 'OperatorConfigError';

  constructor(
    readonly path: string,
    readonly problems: readonly string[],
  ) {
    super(`${path} cannot be used: ${problems.join('; ')}`);
  }
}

/**
 * Reads and validates the operator's YAML file. `${NAME}` in a value is replaced by the environment variable NAME, so that the file needs
 * no secrets.
 * @throws OperatorConfigError
 */
export function loadOperatorConfig(
  path: string,
  environment: Readonly<Record<string, string | undefined>>,
): OperatorConfig {
  const missing = new Set<string>();
  const result = operatorConfigSchema.safeParse(replacePlaceholders(readYaml(path), environment, missing));
  if (missing.size > 0) {
    throw new OperatorConfigError(
      path,
      [...missing].map((name) => `the environment variable ${name} is not set`),
    );
  }
  if (!result.success) {
    throw new OperatorConfigError(
      path,
      result.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`),
    );
  }
  return result.data;
}

function readYaml(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new OperatorConfigError(path, [error instanceof Error ? error.message : String(error)]);
  }
}

/** Replaces placeholders after parsing, so that no variable can change the structure of the file. */
function replacePlaceholders(
  value: unknown,
  environment: Readonly<Record<string, string | undefined>>,
  missing: Set<string>,
): unknown {
  if (Array.isArray(value))
    return value.map((each: unknown) => replacePlaceholders(each, environment, missing));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, replacePlaceholders(each, environment, missing)]),
    );
  }
  if (typeof value !== 'string') return value;
  return value.replace(/\$\{([A-Z][A-Z0-9_]*)\}/g, (_, name: string) => {
    const found = environment[name];
    if (found === undefined || found === '') missing.add(name);
    return found ?? '';
  });
}
