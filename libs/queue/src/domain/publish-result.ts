/** What an attempt to publish an event came to. */
export type PublishResult =
  | { readonly outcome: 'published' }
  | { readonly outcome: 'retry'; readonly reason: string }
  | { readonly outcome: 'dead-letter'; readonly reason: string }
  /** The event is neither retried nor kept: no one wants it, or it has no value later. */
  | { readonly outcome: 'dropped'; readonly reason: string };
