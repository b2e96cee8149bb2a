module example.com/drawbridge/site

go 1.19
