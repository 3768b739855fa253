import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { REPOSITORY_ROOT } from '../../system/processes.js';

/** JSON schemas of Grafana's types, written by `tools/write-grafana-schema.mjs`. */
export const GRAFANA_SCHEMA_FILE = join(REPOSITORY_ROOT, 'tools/grafana-schema.json');

interface GrafanaPanel {
  readonly type: string;
  readonly title: string;
  readonly options?: unknown;
  readonly fieldConfig?: { readonly defaults: { readonly custom?: unknown } };
}

/** Validates dashboards against the types of @grafana/schema. */
export class GrafanaSchema {
  private readonly validators = new Map<string, ValidateFunction>();

  constructor() {
    const schemas = JSON.parse(readFileSync(GRAFANA_SCHEMA_FILE, 'utf8')) as Record<string, object>;
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
    for (const [name, schema] of Object.entries(schemas)) this.validators.set(name, ajv.compile(schema));
  }

  /** What does not conform, each with its path; empty for a valid dashboard. */
  validate(dashboard: { readonly panels: readonly GrafanaPanel[] }): string[] {
    const panels = dashboard.panels.filter(({ type }) => type !== 'row');
    return [
      ...this.listErrors('dashboard', dashboard, ''),
      ...panels.flatMap(({ type, title, options, fieldConfig }) => {
        const custom = fieldConfig?.defaults.custom;
        return [
          ...this.listErrors(`${type}.options`, options, `${title}: options`),
          ...(custom === undefined ? [] : this.listErrors(`${type}.custom`, custom, `${title}: custom`)),
        ];
      }),
    ];
  }

  private listErrors(schema: string, value: unknown, path: string): string[] {
    const validate = this.validators.get(schema);
    if (validate === undefined)
      return [`${path}: there is no schema ${schema}; see tools/write-grafana-schema.mjs`];
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${path}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}
