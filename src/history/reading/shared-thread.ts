/** The thread that does the work, among the calls of other users. */
export interface SharedThread {
  /** Whether there were any in the last seconds. */
  readonly isShared: boolean;
  /** Called by long work every few milliseconds: lets those go first that run now. */
  readonly giveWay: () => Promise<void>;
}
