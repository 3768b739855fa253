/** Why the broker does not do what was asked; closed, so that every edge answers every one of them. */
export type Refusal =
  | { readonly kind: 'not-enrolled'; readonly role: string }
  | { readonly kind: 'channel-unknown'; readonly fqcn: string }
  | { readonly kind: 'topic-unknown'; readonly fqcn: string; readonly topic: string }
  | { readonly kind: 'no-right'; readonly right: 'publish' | 'subscribe'; readonly fqcn: string }
  | { readonly kind: 'too-large'; readonly size: number; readonly limit: number }
  | { readonly kind: 'schema-mismatch'; readonly topic: string; readonly problems: readonly SchemaProblem[] }
  | { readonly kind: 'bad-signature'; readonly reason: string; readonly sender: string };

export interface SchemaProblem {
  /** JSON Pointer into the payload; empty for the whole. */
  readonly path: string;
  readonly message: string;
}
