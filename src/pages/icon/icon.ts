/** The icon: an eye whose pupil is a small tree of executions. Our own drawing. */

export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#4a3fd1"/><g fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"><path d="M7 32s9.5-16 25-16 25 16 25 16-9.5 16-25 16S7 32 7 32z"/><path d="M26 37l6-10 6 10" stroke-width="2.5"/></g><g fill="#fff"><circle cx="32" cy="26.5" r="4.2"/><circle cx="25.5" cy="37" r="4.2"/><circle cx="38.5" cy="37" r="4.2"/></g></svg>
`;
