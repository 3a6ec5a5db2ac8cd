/** How a report.html begins: by it whoever writes one knows an earlier one. Pure. */
export const REPORT_HEAD = '<!doctype html>\n<!-- made by sluice report -->\n';
