/** An alert wakes a person; a notice informs. */
export type DeliveryKind = 'alert' | 'notice';

/** The column and the JSON member are `alert`, true or false. */
export const toDeliveryKind = (alert: boolean): DeliveryKind => (alert ? 'alert' : 'notice');
