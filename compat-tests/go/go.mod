module sluice.dev/compat

go 1.22
