/** An alert wakes a person; a notice informs. */
export type DeliveryKind = 'alert' | 'notice';

/** @param alert the `alert` flag of the matching rule in CONFIG_FILE */
export const toDeliveryKind = (alert: boolean): DeliveryKind => (alert ? 'alert' : 'notice');
