import { MAX_PAGE_SIZE, IsPageCursor, IsPageLimit } from '../http/page.js';
import { IsOptionalText } from '../http/texts.js';
import { Decimal, Integer, MarketDate, Part, Parts, Text, Time } from '../http/fields.js';

/** A large statement has many thousand differences. */
export const MAX_DIFFERENCES_PAGE = 1_000;

/** What a statement is compared with, and the part of the listing. */
export class DifferencesQuery {
  @IsPageLimit(MAX_DIFFERENCES_PAGE)
  readonly limit: number = MAX_PAGE_SIZE;

  @IsPageCursor()
  readonly cursor?: string;

  @IsOptionalText({
    maxLength: 100,
    description:
      'Id of a run of the same participant, market and period, or of an event about its statement, or its first 6 characters or more. A run stands for its newest version. Default: the version before; without one, the newest version of the run before.',
    requirement: 'must be an id',
  })
  readonly against?: string;
}

/** A version of a statement that is compared. */
export class ComparedVersion {
  @Text({ description: 'Id of its event.' }) readonly eventId!: string;
  @Text({ description: 'Id of the run, for `/v1/statements/{id}`.' }) readonly statementId!: string;
  @Text({ description: 'Designation of the run, such as INITIAL.' }) readonly designation!: string;
  @Integer({ description: "The operator's id of the run." }) readonly runId!: number;
  @Time({ description: 'When the operator published it.' }) readonly publishedAt!: Date;
}

/** A sum in both versions. */
export class TotalChange {
  @Decimal({ description: 'In the earlier version.' }) readonly before!: string;
  @Decimal({ description: 'In the later version.' }) readonly after!: string;
  @Decimal({ description: '`after` minus `before`: exactly the sum of the differences.' })
  readonly difference!: string;
}

class ComparedTotals {
  @Part({ description: 'What the operator pays.', of: () => TotalChange }) readonly payment!: TotalChange;
  @Part({ description: 'What the participant pays.', of: () => TotalChange }) readonly charge!: TotalChange;
  @Part({ description: 'Payment minus charge.', of: () => TotalChange }) readonly net!: TotalChange;
}

/** One variable of one trading day that differs. */
export class DifferenceRow {
  @MarketDate({ description: 'Trading day.' }) readonly tradingDay!: string;
  @Text({ description: 'Name of the variable.' }) readonly variable!: string;
  @Text({ description: 'P: the operator pays. C: the participant pays.' }) readonly pOrC!: string;
  @Text({ description: 'Y or N.' }) readonly gstApplicable!: string;
  @Decimal({ description: 'Amount before; absent when the variable is new.', optional: true })
  readonly before?: string;
  @Decimal({ description: 'Amount after; absent when the variable is gone.', optional: true })
  readonly after?: string;
  @Decimal({ description: '`after` minus `before`; an absent amount counts as 0.' })
  readonly difference!: string;
  @Decimal({
    description: 'Per cent of the sum of all absolute differences, rounded half up to two digits.',
  })
  readonly share!: string;
}

export const DIFFERENCE_COLUMNS = [
  ...['tradingDay', 'variable', 'pOrC', 'gstApplicable', 'before', 'after', 'difference', 'share'],
];

/** A page of the differences of two versions. */
export class DifferencesPage {
  @Part({ description: 'The version that it is compared with.', of: () => ComparedVersion })
  readonly before!: ComparedVersion;
  @Part({ description: 'The version that is compared.', of: () => ComparedVersion })
  readonly after!: ComparedVersion;
  @Integer({ description: 'Number of all differences.' }) readonly count!: number;
  @Part({ description: 'Sums of all variables, also of those that do not differ.', of: () => ComparedTotals })
  readonly totals!: ComparedTotals;
  @Parts({ description: 'The largest absolute differences first.', of: () => DifferenceRow })
  readonly items!: readonly DifferenceRow[];
  @Text({ description: '`cursor` of the next page; absent on the last one.', optional: true })
  readonly next?: string;
}
