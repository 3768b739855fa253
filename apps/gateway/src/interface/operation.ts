import type { JsonSchema, ResourceName } from './resources.js';

/** A query parameter, with the schema of its value. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: string | number;
}

/** The body of a 200: a resource, a list of them, a resource or an error, a YAML file, or nothing. */
export type Success =
  | { readonly kind: 'resource'; readonly resource: ResourceName }
  | { readonly kind: 'list'; readonly resource: ResourceName }
  | { readonly kind: 'resource-or-error'; readonly resource: ResourceName; readonly code: string }
  | { readonly kind: 'yaml' }
  | { readonly kind: 'nothing' };

/** One of the eleven operations of document 002, "Endpoints", as `rest.yaml` describes it. */
export interface Operation {
  readonly id: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: 'config' | 'message' | 'channels' | 'signature' | 'docs' | 'health';
  readonly summary: string;
  readonly description?: string;
  /** Document 002, "Authentication" 2: needs no user name and password. */
  readonly open?: true;
  readonly parameters?: readonly Parameter[];
  readonly body?: ResourceName;
  readonly success: Success;
  /** Headers that a 200 can have, by name, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Error codes by status, of this operation; those of every operation are added. */
  readonly errors: Readonly<Record<number, readonly string[]>>;
}
