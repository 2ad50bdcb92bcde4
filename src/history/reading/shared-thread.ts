/** The thread that a call runs on, as that call sees it: other users' calls may run there, too. */
export interface SharedThread {
  /** True while other users call, and for some seconds after. */
  readonly isShared: boolean;
  /** Called by long work every few milliseconds: pauses while calls of other users run. */
  readonly giveWay: () => Promise<void>;
}
