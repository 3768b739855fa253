import { IsOptionalText, IsText } from '../http/texts.js';

const COMMENT = { maxLength: 2_000, description: 'Why.' } as const;

/** The body of a request that needs no comment. */
export class OptionalComment {
  @IsOptionalText(COMMENT) readonly comment?: string;
}

/** The body of a request that says why. */
export class RequiredComment {
  @IsText(COMMENT) readonly comment!: string;
}
