// Package parquet reads data sets of images with text from Parquet files: the
// small columns row by row, the large ones one value at a time.
//
// Only the columns that are asked for are read, row group by row group. A large
// value is streamed out of its page: nothing is held but the value itself, since
// common writers put a thousand images, 150 MB and more, into one page. So the
// memory needed does not depend on how a file is divided, and text is read
// without touching images. (One exception: a Snappy page that repeats bytes from
// far back, as parquet-go writes, takes as much as it looks back.)
//
// A file is not trusted. Every length in it is checked against what is really
// there before memory is given to it, and each error names file, row group and
// column, and is a *CorruptError where the file is damaged.
//
// The layout is that of the Apache Parquet format 2.12: its metadata is decoded
// with parquet-go's definitions. Pages are read here, because that library holds
// whole pages (580 MB for a page of 167 MB) and allocates what a damaged header
// names. Columns inside lists, encryption and files split over several are not
// read.
package parquet
