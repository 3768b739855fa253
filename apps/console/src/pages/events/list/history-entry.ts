/** The entry of the browser's history that is shown, as the router names it. */
export const historyEntry = (): string | undefined =>
  (history.state as { readonly __TSR_key?: string } | null)?.__TSR_key;

/** Whether a person returns to a list from one of its events. */
export const isReturnTo = ({ openedFrom }: { readonly openedFrom: string | undefined }): boolean =>
  openedFrom !== undefined && openedFrom === historyEntry();
