/** The options of `predict grade10`, as given. */
export interface Grade10Flags {
  readonly case?: string;
  readonly job?: string;
  readonly cell?: string;
  readonly against?: string;
  readonly model?: string;
  readonly slice?: string;
  readonly sampling?: boolean;
  readonly trace?: string;
  readonly export?: string;
  readonly format: string;
  readonly json?: boolean;
}
